import { z } from "zod";
import { Alert } from "./alerts.ts";
import { Milliseconds, part, Severity, Time } from "./common.ts";

/** Something that is not as it should be, so that people may not hear of what happens. */
export const Fault = part("Fault", {
  about: z.enum(["rounds", "source", "channel", "database", "daemon"]),
  /** What is not there: the channel, the source's scope, the rule. */
  name: z.string(),
  /** What it means, in one sentence. */
  what: z.string(),
  /** What to do about it; null: nothing. */
  do: z.string().nullable(),
  since: Time.nullable(),
});
export type Fault = z.infer<typeof Fault>;

/** Whether everything is watched: the first line of the page. */
export const Watch = part("Watch", {
  /** `All 212 subjects watched`, or what is not. */
  sentence: z.string(),
  subjects: z.int(),
  watched: z.int().meta({ description: "Subjects whose newest round had a value." }),
  rules: z.int(),
  late_rules: z.int(),
  last_round: Time.nullable(),
  next_round: Time.nullable().meta({ description: "When the next rule is due." }),
  endpoints: z.int().meta({
    description: "The endpoints of the source that answered when they were asked last.",
  }),
  channels: z.int().meta({ description: "The channels whose last send did not fail." }),
  failing: z.array(z.string()).meta({ description: "Those whose last send failed, by name." }),
  faults: z.array(Fault),
});
export type Watch = z.infer<typeof Watch>;

const BySeverity = z.object({ critical: z.int(), warning: z.int(), info: z.int() });

export const Counts = part("Counts", {
  alerts: z.int(),
  firing: z.int().meta({
    description:
      "Each alert counts once: as firing, held back, without data, pending, recovering or ok.",
  }),
  firing_by: BySeverity,
  unacknowledged: z.int(),
  pending: z.int(),
  recovering: z.int(),
  no_data: z.int(),
  held_back: z
    .int()
    .meta({ description: "Firing, and a silence or a mute keeps people from being told." }),
  ok: z.int(),
});
export type Counts = z.infer<typeof Counts>;

/** How many fired at most in each step of the last day. */
export const Ribbon = part("Ribbon", {
  from: Time,
  step_ms: Milliseconds,
  steps: z.array(BySeverity.nullable()).meta({ description: "Null: nobody looked." }),
});
export type Ribbon = z.infer<typeof Ribbon>;

/** The firing alerts of one rule, where more fire than a page shows one by one. */
export const FiringGroup = part("FiringGroup", {
  rule: z.string(),
  severity: Severity,
  firing: z.int(),
  unacknowledged: z.int(),
  /** `212 of 5,000 pools: TVL below $1,000,000`. */
  sentence: z.string(),
  since: Time.meta({ description: "When the first of them fired." }),
  /** How far past the limit each of them is, for ticks on a line; at most 100, the worst first. */
  ratios: z.array(z.number()),
  /** At most five. */
  worst: z.array(Alert),
});
export type FiringGroup = z.infer<typeof FiringGroup>;

/** The first ones of a list, and how many there are in all. */
const some = <T extends z.ZodType>(
  one: T,
): z.ZodObject<{ total: z.ZodInt; first: z.ZodArray<T> }> =>
  z.object({ total: z.int(), first: z.array(one) });

export const Overview = part("Overview", {
  /** Goes up with whatever changes; the same in events. */
  version: z.int(),
  at: Time,
  watch: Watch,
  counts: Counts,
  ribbon: Ribbon,
  /** Critical first, then not acknowledged, then the newest. */
  firing: some(Alert),
  /** By rule, where more than 25 fire; else empty. At most 25 rules. */
  groups: z.array(FiringGroup),
  groups_total: z.int().meta({ description: "How many rules fire, where they are grouped." }),
  /** Pending and recovering. */
  waiting: some(Alert),
  no_data: some(Alert),
  held_back: some(Alert),
  /** `alerts?state=ok&sort=distance` is what the page shows after these. */
  ok: z.int(),
});
export type Overview = z.infer<typeof Overview>;

/** What an event of the stream says: what is so now, and what has changed since the one before. */
export const LiveEvent = part("LiveEvent", {
  version: z.int(),
  at: Time,
  watch: Watch,
  counts: Counts,
  /** The alerts whose state, data, acknowledgement or value changed; null: too many to name. */
  changed: z.array(z.object({ rule: z.string(), subject: z.string() })).nullable(),
  /** Those of them that began to fire, and those that ended. At most 20 of each. */
  fired: z.array(Alert),
  resolved: z.array(z.object({ rule: z.string(), subject: z.string(), name: z.string() })),
});
export type LiveEvent = z.infer<typeof LiveEvent>;
