import { z } from "zod";
import { AlertState } from "./alerts.ts";
import { Exact, Milliseconds, NextCursor, part, Severity, Time } from "./common.ts";

/** The values of one metric of one subject over a time, each step with its lowest and highest. */
export const Samples = part("Samples", {
  subject: z.string(),
  metric: z.string(),
  label: z.string(),
  unit: z.string(),
  /** Raw units of a token are shown as so many decimals; null: unknown, or not raw. */
  decimals: z.int().nullable(),
  from: Time,
  to: Time,
  step_ms: Milliseconds,
  /** Samples behind the points. */
  samples: z.int(),
  /**
   * At most 2,000 in the order of time: `at` is the beginning of the step; null values: known to have
   * no data. Steps without any sample are left out.
   */
  points: z.array(
    z.object({
      at: Time,
      /** When the newest of its samples was taken or held last. */
      to: Time,
      min: Exact.nullable(),
      max: Exact.nullable(),
      last: Exact.nullable(),
    }),
  ),
  /** The alerts of its rules: limits to draw. */
  limits: z.array(
    z.object({
      rule: z.string(),
      op: z.string(),
      fires: z.string(),
      /** Exact, in the metric's own unit; none for changes. */
      values: z.array(Exact),
      resolve: z.array(Exact).meta({ description: "Those of `resolve_when`." }),
      /** Changes: the length of the window. */
      window_ms: Milliseconds.nullable(),
    }),
  ),
});
export type Samples = z.infer<typeof Samples>;

/** A stretch of time that an alert was in one state. */
const StateSpan = part("StateSpan", {
  from: Time,
  to: Time.nullable().meta({ description: "Null: it still is." }),
  state: AlertState,
  no_data: z.boolean(),
});
export type StateSpan = z.infer<typeof StateSpan>;

/** What came of one send. */
export const Attempt = part("Attempt", {
  channel: z.string(),
  at: Time,
  number: z.int().meta({ description: "The first send is 1." }),
  outcome: z.enum(["sent", "retry", "dead", "dropped"]),
  /** What came back; null: nothing is to be said. */
  answer: z.string().nullable(),
  until: Time.nullable().meta({ description: "`retry`: when it is tried again." }),
});
export type Attempt = z.infer<typeof Attempt>;

/** What becomes of a notice at one channel. */
export const Delivery = part("Delivery", {
  channel: z.string(),
  state: z.enum(["owed", "held", "due", "waiting", "sent", "dead", "dropped"]),
  message: z.string().nullable().meta({ description: "The id of the message that it is in." }),
  until: Time.nullable(),
  settled_at: Time.nullable(),
  error: z.string().nullable(),
  attempts: z.array(Attempt),
});
export type Delivery = z.infer<typeof Delivery>;

export const Notice = part("Notice", {
  id: z.string(),
  kind: z.string(),
  severity: Severity,
  rule: z.string().nullable(),
  subject: z.string().nullable(),
  name: z.string().nullable(),
  at: Time,
  headline: z.string(),
  fields: z.array(z.object({ name: z.string(), value: z.string() })),
  title: z.string().nullable(),
  note: z.string().nullable(),
  link: z.string().nullable(),
  deliveries: z.array(Delivery),
});
export type Notice = z.infer<typeof Notice>;

export const NoticeList = part("NoticeList", { notices: z.array(Notice), next: NextCursor });
export type NoticeList = z.infer<typeof NoticeList>;

/** One thing that happened to an alert. */
export const TimelineEntry = z
  .discriminatedUnion("what", [
    z.object({
      what: z.literal("state"),
      at: Time,
      state: AlertState,
      no_data: z.boolean(),
      /** The value that decided; null: there was none. */
      value: Exact.nullable(),
      /** `fired, was ok for 2 d 16 h`. */
      text: z.string(),
    }),
    z.object({ what: z.literal("notice"), at: Time, notice: Notice }),
    z.object({
      what: z.literal("action"),
      at: Time,
      action: z.string(),
      by: z.string(),
      text: z.string(),
      comment: z.string().nullable(),
    }),
  ])
  .meta({ id: "TimelineEntry" });
export type TimelineEntry = z.infer<typeof TimelineEntry>;

/** What happened to one alert, the newest first. */
export const Timeline = part("Timeline", {
  rule: z.string(),
  subject: z.string(),
  entries: z.array(TimelineEntry),
  next: NextCursor,
});
export type Timeline = z.infer<typeof Timeline>;

/** The states of an alert over a time, for the bands beneath a chart, oldest first. */
export const States = part("States", {
  rule: z.string(),
  subject: z.string(),
  from: Time,
  to: Time,
  /** Nothing was written down before. */
  known_from: Time.nullable(),
  spans: z.array(StateSpan),
  /** While it was acknowledged or silenced. */
  quiet: z.array(z.object({ from: Time, to: Time.nullable(), by: z.enum(["ack", "silence"]) })),
});
export type States = z.infer<typeof States>;
