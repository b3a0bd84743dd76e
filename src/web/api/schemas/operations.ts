import { z } from "zod";
import { Labels, Milliseconds, NextCursor, part, Severity, Time } from "./common.ts";
import { Attempt } from "./history.ts";

export const Silence = part("Silence", {
  id: z.int(),
  state: z.enum(["active", "planned", "ended"]),
  rule: z.string().nullable(),
  subjects: z.array(z.object({ subject: z.string(), name: z.string() })).nullable(),
  labels: Labels,
  starts_at: Time,
  ends_at: Time,
  by: z.string(),
  comment: z.string().nullable(),
  created_at: Time,
  /** What it is about, in words. */
  about: z.string(),
});
export type Silence = z.infer<typeof Silence>;

export const SilenceList = part("SilenceList", { silences: z.array(Silence) });
export type SilenceList = z.infer<typeof SilenceList>;

export const Channel = part("Channel", {
  name: z.string(),
  kind: z.string(),
  timezone: z.string(),
  state: z.enum(["answers", "rejecting", "unreachable", "idle"]).meta({
    description: "`idle`: nothing was sent to it since the daemon started.",
  }),
  since: Time.nullable(),
  reason: z.string().nullable(),
  owed: z.int(),
  held: z.int(),
  dead: z.int(),
  last: Attempt.nullable().meta({ description: "What came of the newest send." }),
});
export type Channel = z.infer<typeof Channel>;

export const ChannelList = part("ChannelList", { channels: z.array(Channel) });
export type ChannelList = z.infer<typeof ChannelList>;

/** A message on its way, or a notice that is in none yet. */
export const OutboxEntry = part("OutboxEntry", {
  id: z.string(),
  channel: z.string(),
  state: z.enum(["owed", "held", "due", "waiting", "sent", "dead"]),
  dropped: z.boolean(),
  sends: z.int(),
  since: Time,
  until: Time.nullable(),
  settled_at: Time.nullable(),
  error: z.string().nullable(),
  notices: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      severity: Severity,
      rule: z.string().nullable(),
      subject: z.string().nullable(),
      at: Time,
      headline: z.string(),
    }),
  ),
});
export type OutboxEntry = z.infer<typeof OutboxEntry>;

export const OutboxList = part("OutboxList", {
  entries: z.array(OutboxEntry),
  total: z.int(),
  next: NextCursor,
});
export type OutboxList = z.infer<typeof OutboxList>;

/** One endpoint of the data source. */
export const Endpoint = part("Endpoint", {
  name: z.string(),
  state: z.enum(["up", "failing", "unused"]),
  last_answer: Time.nullable(),
  latency_ms: Milliseconds.nullable(),
  failed_5m: z.int(),
  requests_1h: z.int(),
  /** The newest failure of the last hour. */
  failure: z.object({ at: Time, reason: z.string() }).nullable(),
  /** How old the newest record is, by chain. */
  lags: z.array(z.object({ chain: z.string(), seconds: z.number() })),
});
export type Endpoint = z.infer<typeof Endpoint>;

export const SourceView = part("Source", {
  endpoints: z.array(Endpoint),
  requests_per_second: z.number().meta({ description: "The limit that the daemon keeps." }),
  requests_1h: z.int(),
  /** What of it does not answer, as alerts of the daemon's own. */
  down: z.array(z.object({ what: z.string(), since: Time })),
});
export type SourceView = z.infer<typeof SourceView>;

const AuditEntry = part("AuditEntry", {
  id: z.int(),
  at: Time,
  by: z.string(),
  via: z.enum(["command", "page", "api", "chat"]),
  action: z.string().meta({ description: "`ack`, `silence`, `retry` …" }),
  rule: z.string().nullable(),
  subject: z.string().nullable(),
  name: z.string().nullable(),
  /** What it was about, in words. */
  about: z.string(),
  comment: z.string().nullable(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditList = part("AuditList", { entries: z.array(AuditEntry), next: NextCursor });
export type AuditList = z.infer<typeof AuditList>;
