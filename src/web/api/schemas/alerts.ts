import { z } from "zod";
import {
  Chain,
  Exact,
  Labels,
  Milliseconds,
  NextCursor,
  part,
  Severity,
  Shown,
  Time,
} from "./common.ts";

export const AlertState = z.enum(["ok", "pending", "firing", "recovering"]).meta({
  id: "AlertState",
  description: "The alert's state by its rule; `no_data` says whether it has data.",
});

/** What a condition's speaking comparison found in the newest round. */
export const Compared = part("Compared", {
  metric: z.string(),
  /** What people call the metric: `TVL`. */
  label: z.string(),
  op: z.string().meta({ description: "The comparison, as a rule names it: `above`, `falls`." }),
  /** Why it fires, as a rule says it: `above 5 gwei`, `falls 10% in 1 h`. */
  fires: z.string(),
  value: Shown,
  /** One, or low and high; none for changes and events, and where a limit is not known. */
  limits: z.array(Shown),
  /** Changes: what the value is compared with. */
  base: Shown.nullable(),
  base_at: Time.nullable(),
  /** Changes: the difference to the base with its sign, and the same in percent of it. */
  change: z.object({ exact: Exact, text: z.string(), percent: z.string().nullable() }).nullable(),
  distance: z
    .object({
      /**
       * How far it is to the limit, for a bar: 0 is as far as can be, 1 is at the limit, more is past it.
       * For drawing and sorting only; null where a distance means nothing.
       */
      ratio: z.number().min(0).nullable(),
      past: z.boolean().meta({ description: "The comparison holds." }),
      /** `3.72 gwei left`, `0.019% past`, `unchanged`. */
      text: z.string(),
    })
    .nullable(),
});
export type Compared = z.infer<typeof Compared>;

/** A position's range, in the rule's price direction. */
const PriceRange = part("PriceRange", {
  lower: z.string(),
  upper: z.string(),
  price: z.string(),
  unit: z.string().meta({ description: "`USDC per ETH`" }),
  lower_tick: z.int(),
  upper_tick: z.int(),
  tick: z.int(),
  inverted: z.boolean().meta({ description: "A higher tick is a lower price." }),
  in_range: z.boolean(),
  edge: z
    .enum(["lower", "upper"])
    .meta({ description: "The nearer edge; out of range, the one that was crossed." }),
  distance: z.string().nullable().meta({
    description:
      "In range: how far the price must move to leave, in percent of it. Out of range: how far it is beyond the edge, in percent of that. `3.66%`; null: the range is over all prices.",
  }),
  closed: z
    .boolean()
    .meta({ description: "The position has no liquidity: there is nothing to be in range." }),
});

const Acknowledgement = part("Acknowledgement", {
  by: z.string(),
  since: Time,
  comment: z.string().nullable(),
});

/** Something because of which people are not told, or not all of them. */
export const HeldBack = part("HeldBack", {
  by: z.enum(["silence", "mute", "ack", "gate", "unless", "cooldown", "flapping", "once"]),
  /** In one clause: `by anna: closing it on Monday`. */
  why: z.string(),
  until: Time.nullable().meta({ description: "Null: until something else changes." }),
  /** Mutes: the channel that hears nothing; null: none of them does. */
  channel: z.string().nullable(),
  /** Silences: which one. */
  silence: z.int().nullable(),
});
export type HeldBack = z.infer<typeof HeldBack>;

/** A few steps of the recent past, for a small picture; exact values as text. */
export const Recent = part("Recent", {
  metric: z.string(),
  from: Time,
  to: Time,
  step_ms: Milliseconds,
  bucket_ms: Milliseconds.nullable().meta({
    description: "Data by the hour or day: how long one value stands; null: each round reads one.",
  }),
  /** One for each step: its lowest and highest value; null: no data in it. At most 97. */
  points: z.array(z.tuple([Exact, Exact]).nullable()),
  /** When it fired within that time, as times; `to` null: it still does. */
  firing: z.array(z.object({ from: Time, to: Time.nullable() })),
  resolve: z.array(Exact).meta({
    description: "The limits of `resolve_when` that are known without a look at the past.",
  }),
});
export type Recent = z.infer<typeof Recent>;

/** One rule on one subject. */
export const Alert = part(
  "Alert",
  {
    rule: z.string(),
    subject: z.string().meta({ description: "The subject's key, such as `v4_pool:1:0x21c6…`." }),
    name: z.string().meta({ description: "What people call the subject." }),
    kind: z.string().meta({ description: "The watch kind." }),
    chain: Chain.nullable().meta({ description: "Null: several chains together, or none." }),
    severity: Severity,
    labels: Labels,
    state: AlertState,
    since: Time.meta({ description: "When the state was entered." }),
    fired_at: Time.nullable().meta({ description: "Firing and recovering: since when it fires." }),
    /** The first line of a notice about it, without its icon, as it would be told now. */
    sentence: z.string(),
    /** Its rule tells of events: it has no state that lasts. */
    event: z.boolean(),
    no_data: z
      .object({
        since: Time.meta({ description: "The last round with a value, or else its first." }),
        rounds: z.int(),
        told: z.boolean().meta({ description: "It lasts so long that people were told." }),
        reason: z.string().nullable(),
      })
      .nullable(),
    window_known: z.boolean().meta({
      description:
        "False: the newest round knew too little of the past that the condition looks at to say that it does not hold.",
    }),
    /** Pending: how long it has held of the time that `for` needs; recovering: of `resolve_after`. */
    held: z
      .object({ ms: Milliseconds, of_ms: Milliseconds, until: Time })
      .nullable()
      .meta({ description: "`until`: when that is over, if it goes on." }),
    /** Null: nothing was read of it since the daemon started. */
    compared: Compared.nullable(),
    /** The value that was kept last, of the first metric of its condition; null: there is none. */
    last: z.object({ metric: z.string(), label: z.string(), value: Shown, at: Time }).nullable(),
    range: PriceRange.nullable(),
    entries: z
      .object({
        fires: z.string().meta({ description: "Of which it tells, such as `each wallet that …`." }),
        last: z
          .object({ headline: z.string(), at: Time })
          .nullable()
          .meta({ description: "What was told last; null: nothing that is still kept." }),
      })
      .nullable()
      .meta({
        description:
          "Of a rule that tells of the entries of a list (swaps, transfers, changes among the holders), each once; null of all others.",
      }),
    ack: Acknowledgement.nullable(),
    can_ack: z.boolean(),
    spent: z.boolean().meta({ description: "`once: true`, and it is over until it is re-armed." }),
    held_back: z.array(HeldBack),
    told: z
      .array(z.string())
      .meta({ description: "The channels that were told that it fires and hear of its end." }),
    decided_at: Time.nullable().meta({ description: "The newest round that has looked at it." }),
    link: z.string().nullable().meta({ description: "The block explorer's page." }),
    recent: Recent.nullable().optional().meta({ description: "Only with `include=recent`." }),
  },
  "One rule on one subject.",
);
export type Alert = z.infer<typeof Alert>;

export const AlertList = part("AlertList", {
  alerts: z.array(Alert),
  total: z.int().meta({ description: "How many the filter matches." }),
  rules: z
    .array(z.object({ rule: z.string(), total: z.int() }))
    .optional()
    .meta({ description: "Only with `per_rule`: how many of each rule the filter matches." }),
  next: NextCursor,
});
export type AlertList = z.infer<typeof AlertList>;

/** An alert with all that is known of it now. */
export const AlertDetail = part("AlertDetail", {
  alert: Alert,
  /** What each comparison of the condition looked at, the speaking one first. */
  comparisons: z.array(Compared),
  /** The subject's newest record, field by field, under the names that rules know its fields by. */
  record: z.array(
    z.object({
      metric: z.string(),
      label: z.string(),
      value: Shown.nullable(),
      at: Time.nullable(),
    }),
  ),
  record_whole: z.boolean().meta({
    description:
      "False: only the fields that are kept, since nobody had looked at the alert. The next round reads all.",
  }),
  record_block: z.int().nullable().meta({ description: "The block that it was read at." }),
  title: z.string().nullable(),
  note: z.string().nullable(),
  /** Other rules that watch the same subject. */
  also: z.array(z.object({ rule: z.string(), state: AlertState })),
  /** The metrics with samples, which a chart can show. */
  metrics: z.array(z.object({ metric: z.string(), label: z.string() })),
});
export type AlertDetail = z.infer<typeof AlertDetail>;
