import { createHash } from "node:crypto";
import { addAmounts, amountText } from "../../base/amount.ts";
import { formatTime } from "../../base/clock.ts";
import { formatDuration } from "../../base/duration.ts";
import { cleanText } from "../../base/text.ts";
import type { EntriesTold, Notice, NoticeValue } from "../../model/index.ts";
import type { Released } from "../../store/store.ts";
import { HEADLINE, headlineLength, splitIcon } from "../digest/digest-order.ts";

/**
 * What is left to tell of one alert once nothing holds its notices back any more: the difference between
 * what the channel was told and what is. `held`: all of them, oldest first; `channel`: who is told.
 *
 * What it was told before follows from the first of them: before a `fired` it was told that all is well,
 * before anything else that it fires; of data likewise. A `flapping` may be the first or the daily one,
 * so what comes after it is told in any case. Several events become one notice. Notices about a whole
 * rule (`started`) are told as they are.
 */
export function collapse(held: readonly Notice[], channel: string): Released {
  const keep = new Set<Notice>();
  const firings = held.filter(isOfFiring);
  keepDifference(firings, beliefBefore(firings), FIRING, keep);
  const gaps = held.filter(isOfData);
  // Of what is watched no more nobody needs to know whether it has data.
  if (firings.at(-1)?.kind !== "rule_removed") {
    keepDifference(gaps, noDataBefore(gaps, held, keep), DATA, keep);
  }
  const changes = held.filter(({ kind }) => ABOUT[kind] === "event");
  const [only] = changes;
  if (only !== undefined && changes.length === 1) keep.add(only);
  for (const notice of held) if (ABOUT[notice.kind] === "plain") keep.add(notice);
  const baseline = held.findLast(({ kind }) => ABOUT[kind] === "newest");
  if (baseline !== undefined) keep.add(baseline);
  return {
    keep: held.filter((notice) => keep.has(notice)).map(({ id }) => id),
    drop: held.filter((notice) => !keep.has(notice)).map(({ id }) => id),
    add: changes.length > 1 ? [changesAsOne(changes, channel)] : [],
  };
}

/** What people believe: that it is so (it fires, its data is missing), that it is not, or either. */
type Belief = "so" | "not" | "either";

/** The kinds of notices of one side of an alert's life. */
interface Side {
  /** It begins, or goes on in another way. */
  readonly begins: readonly Notice["kind"][];
  readonly ends: readonly Notice["kind"][];
}

const FIRING: Side = {
  begins: ["fired", "flapping", "steady"],
  ends: ["resolved", "rule_removed"],
};

const DATA: Side = { begins: ["no_data", "flapping", "steady"], ends: ["data_back"] };

/** What a notice of a kind is about; each kind has its place, so that none is dropped unseen. */
const ABOUT: Readonly<Record<Notice["kind"], "firing" | "data" | "event" | "plain" | "newest">> = {
  fired: "firing",
  worse: "firing",
  reminder: "firing",
  flapping: "firing",
  steady: "firing",
  resolved: "firing",
  rule_removed: "firing",
  no_data: "data",
  data_back: "data",
  changed: "event",
  baseline: "newest",
  started: "plain",
  source_down: "plain",
  source_up: "plain",
  self: "plain",
  report: "plain",
  test: "plain",
};

function isOfFiring({ kind, gaps }: Notice): boolean {
  return ABOUT[kind] === "firing" && gaps !== true;
}

function isOfData({ kind, gaps }: Notice): boolean {
  return ABOUT[kind] === "data" || gaps === true;
}

function beliefBefore([first]: readonly Notice[]): Belief {
  if (first?.kind === "fired" || first?.kind === "no_data") return "not";
  return first?.kind === "flapping" ? "either" : "so";
}

/** Whether people believe that data is missing: a `fired` for want of data says so, too. */
function noDataBefore(
  gaps: readonly Notice[],
  held: readonly Notice[],
  kept: ReadonlySet<Notice>,
): Belief {
  const [first] = gaps;
  if (first?.kind !== "data_back") return beliefBefore(gaps);
  const fired = held.findLast((notice, at) => notice.kind === "fired" && at < held.indexOf(first));
  // It has no values since it fires because there are none.
  if (fired === undefined || fired.values.length > 0) return "so";
  return kept.has(fired) ? "so" : "not";
}

const STILL: ReadonlySet<Notice["kind"]> = new Set(["flapping", "steady"]);

/** Keeps of the notices of one side what has become of it, if people believe something else. */
function keepDifference(
  notices: readonly Notice[],
  before: Belief,
  { begins, ends }: Side,
  keep: Set<Notice>,
): void {
  const end = notices.findLastIndex(({ kind }) => ends.includes(kind));
  const ending = notices[end];
  const since = notices.slice(end + 1);
  if (since.length === 0) {
    if (ending !== undefined && before !== "not") keep.add(ending);
    return;
  }
  const start = since.findLastIndex(({ kind }) => begins.includes(kind));
  const beginning = since[start];
  // That it flaps, or does so no more, is news also to those who know that it fires; and what begins
  // again without an end has ended untold (`send_resolved: false`).
  const again = start > 0 || (beginning !== undefined && STILL.has(beginning.kind));
  if (beginning !== undefined && (before !== "so" || again)) keep.add(beginning);
  const worse = since.slice(start + 1).findLast(({ kind }) => kind === "worse");
  if (worse !== undefined) keep.add(worse);
}

/**
 * Several events of one alert that were held back, as one notice: how many, the first and the last. Its id
 * follows from theirs and the channel, so that making it twice makes the same. `changes`: oldest first, two
 * at least; throws RangeError for fewer.
 */
function changesAsOne(changes: readonly Notice[], channel: string): Notice {
  const [first] = changes;
  const last = changes.at(-1);
  if (first === undefined || last === undefined || first === last) {
    throw new RangeError("one event is told as it is");
  }
  const times = changes.reduce((sum, change) => sum + timesOf(change), 0);
  const entries = entriesOf(changes);
  const facts = JSON.stringify(["changed", channel, ...changes.map(({ id }) => id)]);
  const together = amountText(entries?.amount, last.values[0]?.quantity ?? "text");
  return {
    ...last,
    id: createHash("sha256").update(facts).digest("hex").slice(0, 16),
    headline: headlineOf({ ...last, ...(entries === null ? {} : { entries }) }, times, together),
    fields: [
      { name: TIMES, value: String(times) },
      ...(together === null ? [] : [{ name: AMOUNTS, value: together }]),
      { name: "First", value: said(first) },
      { name: "Last", value: said(last) },
      ...last.fields.filter(({ name }) => !OWN_FIELDS.has(name)),
    ],
    ...(entries === null ? {} : { entries }),
    values: spanning(first.values, last.values),
  };
}

const TIMES = "Times";
const AMOUNTS = "Amounts";
const OWN_FIELDS: ReadonlySet<string> = new Set([TIMES, AMOUNTS, "First", "Last"]);

/** One that stands for several itself: a cooldown held them, or a silence before this one. */
function timesOf({ entries, fields }: Notice): number {
  if (entries !== undefined) return entries.count;
  const [first] = fields;
  return first?.name === TIMES && /^\d{1,9}$/.test(first.value) ? Number(first.value) : 1;
}

/** What several come to; null where one of them is no entry. */
function entriesOf(changes: readonly Notice[]): EntriesTold | null {
  const all = changes.map(({ entries }) => entries).filter((one) => one !== undefined);
  const [first, ...others] = all;
  if (first === undefined || all.length < changes.length) return null;
  return others.reduce((sum, { count, noun, amount: next }) => {
    const amount = addAmounts(sum.amount, next);
    const { since } = sum;
    return { count: sum.count + count, since, noun, ...(amount === undefined ? {} : { amount }) };
  }, first);
}

function said({ at, headline }: Notice): string {
  return `${formatTime(at)}: ${splitIcon(headline).text}`;
}

/**
 * `🔵 3 swaps in 1 h: ETH/USDC 0.05%, largest $1.2M, together $2.1M` of entries, of anything else
 * `🟠 3 times, last: Owner changed: Treasury`: all of its first sentence, or none of it.
 */
function headlineOf(
  { headline, rule, label, at, entries }: Notice,
  times: number,
  together: string | null,
): string {
  const { icon, text } = splitIcon(headline);
  const [sentence = ""] = text.split(". ");
  const lines = [text, sentence].map((rest) => `${icon}${times} times, last: ${rest}`);
  if (entries !== undefined) {
    const took = at - entries.since;
    const time = took > 0 ? ` in ${formatDuration(took)}` : "";
    const line = `${icon}${times} ${entries.noun}${time}: ${label ?? ""}`;
    lines.unshift(...(together === null ? [] : [`${line}, ${together}`]), line);
  }
  const fits = lines.find((line) => headlineLength(line) <= HEADLINE);
  return fits ?? `${icon}${times} times: ${cleanText(rule ?? "", LONGEST_RULE)}`;
}

const LONGEST_RULE = 50;

/** From the value before the first event to the value of the last one. */
function spanning(
  [first]: readonly NoticeValue[],
  values: readonly NoticeValue[],
): readonly NoticeValue[] {
  const [last, ...others] = values;
  if (first === undefined || last === undefined || first.metric !== last.metric) return values;
  return [{ ...last, base: first.base, baseAt: first.baseAt }, ...others];
}
