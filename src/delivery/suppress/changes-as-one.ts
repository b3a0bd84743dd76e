import { createHash } from "node:crypto";
import { cleanText } from "../../base/text.ts";
import { formatTime } from "../../base/times.ts";
import type { Notice, NoticeValue } from "../../model/index.ts";
import { HEADLINE, headlineLength, splitIcon } from "../digest/headline.ts";

/**
 * Several events of one alert that were held back, as one notice: how many, the first and the last. Its id
 * follows from theirs and the channel, so that making it twice makes the same. `changes`: oldest first, two
 * at least; throws RangeError for fewer.
 */
export function changesAsOne(changes: readonly Notice[], channel: string): Notice {
  const [first] = changes;
  const last = changes.at(-1);
  if (first === undefined || last === undefined || first === last) {
    throw new RangeError("one event is told as it is");
  }
  const times = changes.reduce((sum, change) => sum + timesOf(change), 0);
  const facts = JSON.stringify(["changed", channel, ...changes.map(({ id }) => id)]);
  return {
    ...last,
    id: createHash("sha256").update(facts).digest("hex").slice(0, 16),
    headline: headlineOf(last, times),
    fields: [
      { name: TIMES, value: String(times) },
      { name: "First", value: said(first) },
      { name: "Last", value: said(last) },
      ...last.fields.filter(({ name }) => !OWN_FIELDS.has(name)),
    ],
    values: spanning(first.values, last.values),
  };
}

const TIMES = "Times";
const OWN_FIELDS: ReadonlySet<string> = new Set([TIMES, "First", "Last"]);

/** One that stands for several itself: held back again before it was told. */
function timesOf({ fields }: Notice): number {
  const [first] = fields;
  return first?.name === TIMES && /^\d{1,9}$/.test(first.value) ? Number(first.value) : 1;
}

function said({ at, headline }: Notice): string {
  return `${formatTime(at)}: ${splitIcon(headline).text}`;
}

/** `🟠 3 times, last: Owner changed: Treasury`: all of its first sentence, or none of it. */
function headlineOf({ headline, rule }: Notice, times: number): string {
  const { icon, text } = splitIcon(headline);
  const [sentence = ""] = text.split(". ");
  const lines = [text, sentence].map((rest) => `${icon}${times} times, last: ${rest}`);
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
