import { z } from "zod";
import { Labels, Milliseconds, NextCursor, part, Severity, Time } from "./common.ts";

export const RuleSummary = part("RuleSummary", {
  name: z.string(),
  kind: z.string(),
  severity: Severity,
  labels: Labels,
  /** What it does, as `check` prints it. */
  sentence: z.string(),
  /** `1m`, a cron expression, or `block`. */
  schedule: z.string(),
  subjects: z.int(),
  counts: z.object({
    firing: z.int(),
    pending: z.int(),
    recovering: z.int(),
    no_data: z.int(),
    ok: z.int(),
  }),
  last_round: Time.nullable(),
  late: z.boolean(),
  notify: z.array(z.string()).meta({ description: "The channels that it tells." }),
});
export type RuleSummary = z.infer<typeof RuleSummary>;

export const RuleList = part("RuleList", {
  rules: z.array(RuleSummary),
  total: z.int(),
  next: NextCursor,
});
export type RuleList = z.infer<typeof RuleList>;

export const RuleDetail = part("RuleDetail", {
  rule: RuleSummary,
  file: z.object({ name: z.string(), line: z.int() }),
  /** As it stands in its file; null: the file cannot be read, or was edited since the start. */
  yaml: z.string().nullable(),
  routes: z.array(
    z.object({
      channel: z.string(),
      /** `never`, or by which windows it is muted. */
      muted: z.string().nullable(),
      muted_until: Time.nullable(),
    }),
  ),
  send_resolved: z.boolean(),
  for_ms: Milliseconds,
  resolve_after_ms: Milliseconds,
  missing_after_ms: Milliseconds,
  remind_ms: z.array(Milliseconds),
  worse_by: z.string().nullable(),
  cooldown_ms: Milliseconds,
  once: z.boolean(),
  only_while: z.array(z.string()),
  unless: z.array(z.string()),
  title: z.string().nullable(),
  note: z.string().nullable(),
  metrics: z.array(z.object({ metric: z.string(), label: z.string() })),
});
export type RuleDetail = z.infer<typeof RuleDetail>;
