import type { Asked, Spoil } from "./spoiling-proxy.ts";
import * as spoils from "./spoils.ts";
import { all, type EffectOn, victims } from "./spoilt-run.ts";
import { VICTIM_CHAIN, VICTIM_IDS } from "./two-of-each.ts";

/** A fault, and all that may come of it. */
export interface SpoiltCase {
  readonly name: string;
  readonly spoil: Spoil;
  readonly effect: EffectOn;
  /** The parts of the service that are told to be down, and up again: each of them once. */
  readonly sources?: readonly string[] | undefined;
  /** Which endpoints do not work meanwhile, as the watch kind `source` has it. */
  readonly down?: "all";
  /** Rounds. */
  readonly during?: number;
  /** A list in no order says nothing of the order within a block. */
  readonly unordered?: boolean;
}

const isOfVictim = (name: string, value: unknown): boolean =>
  /^chain_?id$/i.test(name)
    ? String(value) === VICTIM_CHAIN
    : VICTIM_IDS.has(String(value).toLowerCase());
const asksForVictim = ({ params }: Asked): boolean =>
  [...params].some(([name, text]) => text.split(",").some((value) => isOfVictim(name, value)));
const namesVictim = (record: spoils.Json): boolean =>
  Object.entries(record).some(
    ([name, value]) => spoils.NAMING.has(name) && isOfVictim(name, value),
  );

/** Changes what an answer says of the victim: its entry of a batch, or else the whole. */
function ofVictim(change: (record: unknown) => unknown): Spoil {
  const spoilt = spoils.spoilBody((body, { endpoint }) => {
    const entries = spoils.entriesOf(endpoint, body);
    const named =
      entries !== null && entries.some((one) => !namesVictim(one) && spoils.isNamed(one));
    // An answer about nothing else: what is left of it is an empty one.
    if (!named) return change(body) ?? (Array.isArray(body) ? [] : {});
    const kept = entries.flatMap((one) => {
      const changed = namesVictim(one) ? change(one) : one;
      return changed === undefined ? [] : [changed];
    });
    return spoils.withEntries(endpoint, body, kept);
  });
  return spoils.only(asksForVictim, spoilt);
}

/** What names a thing is still there, and a rule may look at nothing else. */
const NAMES_ONLY =
  /^(?:token_supply|token_balance|token_balance_one|holder_count)-changes$|^holders-(?:entered|left)-each$/;
const nulled =
  (effect: EffectOn): EffectOn =>
  (kind, subject, rule) => {
    const usual = effect(kind, subject, rule);
    return usual === "gone" && NAMES_ONLY.test(rule) ? "blind" : usual;
  };

const HARMLESS: readonly Omit<SpoiltCase, "effect">[] = [
  { name: "lists in any order", spoil: spoils.spoilEntries(spoils.shuffled), unordered: true },
  { name: "lists the other way round", spoil: spoils.spoilEntries((list) => list.toReversed()) },
  {
    name: "everything twice",
    spoil: spoils.spoilEntries((list) => list.flatMap((one) => [one, one])),
  },
  { name: "lists twice over", spoil: spoils.spoilEntries((list) => [...list, ...list]) },
  { name: "entries that nobody asked for", spoil: spoils.spoilEntries(spoils.withForeign) },
  { name: "ids in capitals", spoil: spoils.spoilText(spoils.upperCase) },
  { name: "numbers as text and text as numbers", spoil: spoils.spoilText(spoils.swappedTypes) },
  { name: "gzip", spoil: spoils.gzipped },
  { name: "a connection that is closed each time", spoil: spoils.closing },
  { name: "answers that take their time", spoil: spoils.late(30) },
  { name: "503 twice, and then well", spoil: spoils.firstly(2, spoils.status(503)) },
  {
    name: "429 once, to come back at once",
    spoil: spoils.firstly(
      1,
      spoils.status(429, () => ({ "retry-after": "0" })),
    ),
  },
  { name: "a reset once", spoil: spoils.firstly(1, spoils.reset) },
  {
    name: "gas hours in no order",
    spoil: spoils.only(
      ({ endpoint }) => endpoint === "gas_hourly",
      spoils.spoilEntries(spoils.shuffled),
    ),
  },
  {
    name: "gas hours with gaps",
    spoil: spoils.only(
      ({ endpoint }) => endpoint === "gas_hourly",
      spoils.spoilEntries((hours) => hours.filter((_, i) => i % 2 === (hours.length - 1) % 2)),
    ),
  },
];

/** The victim is a whole chain and single ids of others: the chain is told of as one. */
const ONE_CHAIN_REFUSED: Pick<SpoiltCase, "effect" | "sources"> = {
  effect: (kind, subject, rule) =>
    subject.split(":")[1] === VICTIM_CHAIN ? "blind" : victims(kind, subject, rule),
  sources: [`chain:${VICTIM_CHAIN}`],
};

const ONE_SUBJECT: readonly SpoiltCase[] = [
  {
    name: "400 for one id",
    spoil: spoils.only(asksForVictim, spoils.status(400)),
    ...ONE_CHAIN_REFUSED,
  },
  {
    name: "404 for one id",
    spoil: spoils.only(asksForVictim, spoils.status(404)),
    ...ONE_CHAIN_REFUSED,
  },
  { name: "nothing of one", spoil: ofVictim(() => undefined), effect: victims },
  {
    name: "nulls for one",
    spoil: ofVictim((one) => spoils.nulled(one, false)),
    effect: nulled(victims),
  },
  {
    name: "one without fields",
    spoil: ofVictim((one) => spoils.nulled(one, true)),
    effect: nulled(victims),
  },
  {
    name: "something else for one",
    spoil: ofVictim(spoils.renamed),
    // Hours of gas do not say whose they are.
    effect: (kind, ...alert) => (kind === "gas" ? "same" : victims(kind, ...alert)),
  },
];

const ALL_SUBJECTS: readonly SpoiltCase[] = [
  {
    name: "nulls",
    spoil: spoils.spoilBody((body) => spoils.nulled(body, false)),
    effect: nulled(all("gone")),
  },
  {
    name: "records without fields",
    spoil: spoils.spoilBody((body) => spoils.nulled(body, true)),
    effect: nulled(all("gone")),
  },
  {
    name: "a redirect to another place",
    spoil: spoils.elsewhere,
    effect: all("blind"),
    sources: ["service"],
  },
  { name: "400", spoil: spoils.status(400), effect: all("blind"), sources: ["service"] },
];

const down = (name: string, spoil: Spoil, more: Partial<SpoiltCase> = {}): SpoiltCase => ({
  name,
  spoil,
  effect: all("blind"),
  sources: ["service"],
  down: "all",
  ...more,
});
const date = (): string => new Date(Date.now() + 300_000).toUTCString();

const DOWN: readonly SpoiltCase[] = [
  down(
    "JSON that ends too early",
    spoils.spoilText((text) => text.slice(0, -1)),
  ),
  down(
    "JSON with a comma too many",
    spoils.spoilText((text) => text.replace(/.$/, ",$&")),
  ),
  down("a page for people", spoils.answerWith("<!doctype html><title>Log in</title>", "text/html")),
  down("an error object", spoils.answerWith('{"error":{"code":7,"message":"no"}}')),
  down("a reset before the headers", spoils.reset),
  down("a reset after the headers", spoils.resetInBody),
  down("50 MB", spoils.huge),
  // Unpacking them takes its time: one round is enough of that, and too short to be told.
  { ...down("a gzip bomb", spoils.gzipBomb), during: 1, sources: undefined },
  down(
    "429 with seconds",
    spoils.status(429, () => ({ "retry-after": "300" })),
  ),
  down(
    "429 with a date",
    spoils.status(429, () => ({ "retry-after": date() })),
  ),
  ...[500, 502, 503, 504].map((code) => down(String(code), spoils.status(code))),
];

export const CASES = {
  harmless: HARMLESS.map((one) => ({ ...one, effect: all("same") })),
  ofOne: ONE_SUBJECT,
  ofAll: ALL_SUBJECTS,
  down: DOWN,
  silent: [down("nothing", spoils.hanging), down("a body that drips", spoils.dripping)],
} as const;
