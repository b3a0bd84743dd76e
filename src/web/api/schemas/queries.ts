import { z } from "zod";
import { Time } from "./common.ts";

/** What may be asked for, in the query of an address: everything comes as text. */

const Cursor = z.string().max(300).optional();
const limit = (most: number, usual: number): z.ZodDefault<z.ZodCoercedNumber> =>
  z.coerce.number().int().min(1).max(most).default(usual);

export const AlertQuery = z.strictObject({
  /** `firing` has those that recover as well. */
  state: z
    .enum(["ok", "pending", "firing", "recovering", "waiting", "no_data", "held_back"])
    .optional(),
  severity: z.enum(["info", "warning", "critical"]).optional(),
  /** Whether somebody has acknowledged it. */
  acked: z.enum(["yes", "no"]).optional(),
  rule: z.string().max(200).optional(),
  subject: z.string().max(500).optional(),
  kind: z.string().max(60).optional(),
  /** `NAME=VALUE` */
  label: z.string().max(400).optional(),
  /** Words that a rule's name, a subject's name or its key must have, in any order. */
  q: z.string().max(200).optional(),
  /** `distance`: by rule, the nearest to its limit first; `urgency`: as the overview has them. */
  sort: z.enum(["urgency", "distance"]).default("urgency"),
  include: z.enum(["recent"]).optional(),
  /** The first so many of each rule alone, by rule, with how many each rule has. */
  per_rule: z.coerce.number().int().min(1).max(50).optional(),
  limit: limit(500, 50),
  cursor: Cursor,
});
export type AlertQuery = z.infer<typeof AlertQuery>;

export const OneAlertQuery = z.strictObject({
  rule: z.string().min(1).max(200),
  subject: z.string().min(1).max(500),
});
export type OneAlertQuery = z.infer<typeof OneAlertQuery>;

export const RuleQuery = z.strictObject({
  q: z.string().max(200).optional(),
  limit: limit(500, 100),
  cursor: Cursor,
});
export type RuleQuery = z.infer<typeof RuleQuery>;

export const SamplesQuery = z.strictObject({
  subject: z.string().min(1).max(500),
  metric: z.string().min(1).max(100),
  /** Default: a day before `to`. */
  from: Time.optional(),
  /** Default: now. */
  to: Time.optional(),
  points: z.coerce.number().int().min(2).max(2_000).default(500),
});
export type SamplesQuery = z.infer<typeof SamplesQuery>;

export const StatesQuery = OneAlertQuery.extend({ from: Time.optional(), to: Time.optional() });
export type StatesQuery = z.infer<typeof StatesQuery>;

export const TimelineQuery = OneAlertQuery.extend({ limit: limit(200, 50), cursor: Cursor });
export type TimelineQuery = z.infer<typeof TimelineQuery>;

export const NoticeQuery = z.strictObject({
  rule: z.string().max(200).optional(),
  subject: z.string().max(500).optional(),
  channel: z.string().max(200).optional(),
  severity: z.enum(["info", "warning", "critical"]).optional(),
  kind: z.string().max(40).optional(),
  q: z.string().max(200).optional(),
  /** Default: seven days ago. */
  from: Time.optional(),
  to: Time.optional(),
  limit: limit(200, 50),
  cursor: Cursor,
});
export type NoticeQuery = z.infer<typeof NoticeQuery>;

export const SilenceQuery = z.strictObject({ all: z.enum(["true", "false"]).default("false") });
export type SilenceQuery = z.infer<typeof SilenceQuery>;

export const OutboxQuery = z.strictObject({
  channel: z.string().max(200).optional(),
  /** `open`: what is still to be delivered. */
  state: z.enum(["open", "dead"]).default("open"),
  limit: limit(500, 50),
  cursor: Cursor,
});
export type OutboxQuery = z.infer<typeof OutboxQuery>;

export const AuditQuery = z.strictObject({
  rule: z.string().max(200).optional(),
  subject: z.string().max(500).optional(),
  limit: limit(500, 50),
  cursor: Cursor,
});
export type AuditQuery = z.infer<typeof AuditQuery>;
