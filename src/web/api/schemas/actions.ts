import { z } from "zod";
import { part, strictPart, Time } from "./common.ts";

/** What is posted, and what is answered. Text is cut and cleaned like that of the commands. */

const RuleName = z.string().min(1).max(200);
const SubjectKey = z.string().min(1).max(500);
const Comment = z.string().max(2_000);
const By = z
  .string()
  .max(200)
  .meta({ description: "Who does it; default: the address or `token`." });

export const AlertAction = strictPart("AlertAction", {
  rule: RuleName,
  /** Absent: every alert of the rule that it fits. */
  subject: SubjectKey.optional(),
  comment: Comment.optional(),
  by: By.optional(),
});
export type AlertAction = z.infer<typeof AlertAction>;

export const SilenceAction = strictPart("SilenceAction", {
  rule: RuleName.optional(),
  subjects: z.array(SubjectKey).max(1_000).optional(),
  labels: z.record(z.string().max(200), z.string().max(200)).optional(),
  /** Everything; not beside the others. */
  all: z.boolean().optional(),
  /** `2h`, `7d`; or `until`. At most 30 days. */
  for: z.string().max(40).optional(),
  until: Time.optional(),
  from: Time.optional(),
  comment: Comment.optional(),
  by: By.optional(),
});
export type SilenceAction = z.infer<typeof SilenceAction>;

export const SilenceEnd = z
  .object({ id: z.int().min(1), by: By.optional() })
  .strict()
  .meta({ id: "SilenceEnd" });
export type SilenceEnd = z.infer<typeof SilenceEnd>;

export const RetryAction = strictPart("RetryAction", {
  /** A message; or a channel; neither: all that wait. */
  id: z.string().min(4).max(100).optional(),
  channel: z.string().min(1).max(200).optional(),
  /** Of a channel or of all: dead letters as well. */
  dead: z.boolean().optional(),
  by: By.optional(),
});
export type RetryAction = z.infer<typeof RetryAction>;

export const DropAction = strictPart("DropAction", {
  /** A message; or a channel: its dead letters. One of the two. */
  id: z.string().min(4).max(100).optional(),
  channel: z.string().min(1).max(200).optional(),
  by: By.optional(),
});
export type DropAction = z.infer<typeof DropAction>;

export const SendTestAction = z
  .object({ channel: z.string().min(1).max(200), by: By.optional() })
  .strict()
  .meta({ id: "SendTestAction" });
export type SendTestAction = z.infer<typeof SendTestAction>;

/** What was done, in a sentence, and how to take it back. */
export const Done = part("Done", {
  /** `to be acknowledged by anna: TVL of ETH/USDC 0.05%`. */
  sentence: z.string(),
  /** How many alerts, silences or messages it is about. */
  count: z.int(),
  /** The action that takes it back, with its body; null: nothing does. */
  undo: z.object({ action: z.string(), body: z.record(z.string(), z.unknown()) }).nullable(),
  /** The silences that were made. */
  silences: z.array(z.int()).optional(),
});
export type Done = z.infer<typeof Done>;

export const Session = part("Session", {
  by: z.string().meta({ description: "Under which name actions are written down." }),
  may_act: z.boolean(),
  why_not: z.string().nullable(),
  csrf: z.string().nullable().meta({
    description: "On loopback without a token: what a POST sends as `X-CSRF-Token`.",
  }),
  signed_in: z.boolean(),
});
export type Session = z.infer<typeof Session>;
