import { z } from "zod";
import { Labels, Milliseconds, NextCursor, Severity, Time } from "./common.ts";
import { Attempt } from "./history.ts";

export const Silence = z
  .object({
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
  })
  .meta({ id: "Silence" });
export type Silence = z.infer<typeof Silence>;

export const SilenceList = z.object({ silences: z.array(Silence) }).meta({ id: "SilenceList" });
export type SilenceList = z.infer<typeof SilenceList>;

export const Channel = z
  .object({
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
  })
  .meta({ id: "Channel" });
export type Channel = z.infer<typeof Channel>;

export const ChannelList = z.object({ channels: z.array(Channel) }).meta({ id: "ChannelList" });
export type ChannelList = z.infer<typeof ChannelList>;

/** A message on its way, or a notice that is in none yet. */
export const OutboxEntry = z
  .object({
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
  })
  .meta({ id: "OutboxEntry" });
export type OutboxEntry = z.infer<typeof OutboxEntry>;

export const OutboxList = z
  .object({ entries: z.array(OutboxEntry), total: z.int(), next: NextCursor })
  .meta({ id: "OutboxList" });
export type OutboxList = z.infer<typeof OutboxList>;

/** One endpoint of the data source. */
export const Endpoint = z
  .object({
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
  })
  .meta({ id: "Endpoint" });
export type Endpoint = z.infer<typeof Endpoint>;

export const SourceView = z
  .object({
    endpoints: z.array(Endpoint),
    requests_per_second: z.number().meta({ description: "The limit that the daemon keeps." }),
    requests_1h: z.int(),
    /** What of it does not answer, as alerts of the daemon's own. */
    down: z.array(z.object({ what: z.string(), since: Time })),
  })
  .meta({ id: "Source" });
export type SourceView = z.infer<typeof SourceView>;

const AuditEntry = z
  .object({
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
  })
  .meta({ id: "AuditEntry" });
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditList = z
  .object({ entries: z.array(AuditEntry), next: NextCursor })
  .meta({ id: "AuditList" });
export type AuditList = z.infer<typeof AuditList>;
