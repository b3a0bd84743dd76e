import { DAY, parseDuration } from "./duration.ts";

/** What the steps of a cron expression do in place of what they say. */
export interface StepTrouble {
  readonly message: string;
  readonly expected?: string;
  readonly suggestion?: string;
  /** It reads as a distance, and is none: `*∕45`. An uneven range, or days, may be meant as they are. */
  readonly isWrong?: boolean;
}

interface Field {
  readonly one: string;
  /** What stands before one of its values: `at minute`. */
  readonly at: string;
  readonly low: number;
  readonly high: number;
  /** What begins anew when the field is through: steps are counted from there again. */
  readonly over: string;
  /** Its unit in a duration that means the same, if there is one. */
  readonly unit?: string;
  readonly names?: readonly string[];
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const WEEKDAYS = "sun mon tue wed thu fri sat".split(" ");

const FIELDS: readonly Field[] = [
  { one: "second", at: "at second", low: 0, high: 59, over: "minute", unit: "s" },
  { one: "minute", at: "at minute", low: 0, high: 59, over: "hour", unit: "m" },
  { one: "hour", at: "at hour", low: 0, high: 23, over: "day", unit: "h" },
  { one: "day", at: "on day", low: 1, high: 31, over: "month" },
  { one: "month", at: "in", low: 1, high: 12, over: "year", names: ["", ...MONTHS] },
  { one: "day", at: "on", low: 0, high: 6, over: "week", names: WEEKDAYS },
];

/** The days that a month may have. */
const MONTH_LENGTHS = [28, 29, 30, 31];

interface Part {
  readonly text: string;
  readonly from: number;
  /** How many values lie between its ends, both included. */
  readonly count: number;
  /** Null: it has no step. */
  readonly step: number | null;
}

/**
 * A step that no round ever makes, such as the 90 of `*∕90 * * * *`, which runs once an hour; null if all
 * steps can be made. `fields` are 5 or 6.
 */
export function impossibleStep(fields: readonly string[]): StepTrouble | null {
  for (const [i, { field, text }] of named(fields).entries()) {
    for (const raw of text.split(",")) {
      const isOpen = /^\w+\/\d+$/.test(raw);
      const part = partOf(isOpen ? raw.replace("/", `-${field.high}/`) : raw, field);
      if (part === null || part.step === null || part.step === 0) continue;
      const { from, count, step } = part;
      if (isNeverMade(part, field)) {
        return {
          message: `${raw} runs only ${called(from, field)}, not every ${step} ${field.one}s`,
          expected: `a step below ${count}`,
          ...durationFor(fields, i, part),
        };
      }
      if (!isOpen) continue;
      const fixed = fields.with(i, text.replace(raw, part.text)).join(" ");
      return { message: `${raw} has a step without a range`, suggestion: fixed };
    }
  }
  return null;
}

/** Steps that are made, but not as evenly as they read, each with the real distances. */
export function unevenSteps(fields: readonly string[]): readonly StepTrouble[] {
  const all = named(fields);
  return all.flatMap(({ field, text }, i) => {
    const parts = text.split(",").flatMap((raw) => partOf(raw, field) ?? []);
    const stepped = parts.find((part) => isRound(part, field));
    if (stepped === undefined) return [];
    const finer = all[i - 1];
    // Every day of some months, or every hour of some days, is asked for on purpose.
    if (finer?.text === "*" && (field.over === "hour" || field.over === "day")) {
      const { one } = finer.field;
      const message = `${stepped.text} runs at every ${one} of those ${field.one}s`;
      return [{ message, expected: `one ${one} before it, such as 0` }];
    }
    const own = valuesOf(stepped, field);
    const [first = field.low] = own;
    if (own.length === 1) {
      const message = `${stepped.text} runs only ${called(first, field)}, once ${field.over === "hour" ? "an" : "a"} ${field.over}`;
      return [{ message, expected: String(first) }];
    }
    if (isEven(own, stepped, field) || (field.one === "day" && daysMeet(all))) return [];
    const values = parts.flatMap((part) => valuesOf(part, field));
    const isDate = field.over === "month";
    return [
      {
        message: `${stepped.text} is uneven: ${distances(values, field)}`,
        expected: isDate ? "the days by their numbers" : `a step that divides ${countOf(field)}`,
        isWrong: field.unit !== undefined && stepped.text.startsWith("*"),
        ...durationFor(fields, i, stepped),
      },
    ];
  });
}

/** Both kinds of days are named, and must match: no distances follow from one of them alone. */
function daysMeet(all: ReturnType<typeof named>): boolean {
  return all.slice(-3).filter(({ field, text }) => field.one === "day" && text !== "*").length > 1;
}

function isEven(values: readonly number[], { step }: Part, field: Field): boolean {
  return field.over !== "month" && values.length * (step ?? 1) === countOf(field);
}

/** `7 minutes apart, and 4 over the end of each hour`. */
function distances(values: readonly number[], field: Field): string {
  const sorted = [...new Set(values)].toSorted((a, b) => a - b);
  const gaps = new Set(sorted.slice(1).map((value, i) => value - (sorted[i] ?? value)));
  const inside = [...gaps].toSorted((a, b) => a - b).join(" or ");
  return `${inside} ${field.one}s apart, and ${overEnd(sorted, field)} over the end of each ${field.over}`;
}

function named(
  fields: readonly string[],
): readonly { readonly field: Field; readonly text: string }[] {
  return FIELDS.slice(FIELDS.length - fields.length).map((field, i) => {
    return { field, text: (fields[i] ?? "*").toLowerCase() };
  });
}

function countOf({ low, high }: Field): number {
  return high - low + 1;
}

/** One entry of a field's list; null for what counts in another way, such as `L`, or is no entry. */
function partOf(text: string, field: Field): Part | null {
  const match = /^(?:\*|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(text);
  if (match === null) return null;
  const [, first, last = first, step] = match;
  const from = first === undefined ? field.low : numberOf(first, field);
  const to = last === undefined ? field.high : numberOf(last, field);
  if (from === null || to === null) return null;
  const all = countOf(field);
  // 7 is Sunday as well, and a range may go on over the end of its field.
  const count = Math.min(all, to >= from ? to - from + 1 : to - from + 1 + all);
  const parsed = step === undefined ? null : Number(step);
  return { text, from, count, step: parsed };
}

function numberOf(text: string, { names = [] }: Field): number | null {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  const at = names.indexOf(text);
  return at < 0 ? null : at;
}

/** Every 60 minutes is once an hour, and so on, but months have different lengths. */
function isNeverMade({ step, count }: Part, field: Field): boolean {
  if (step === null || step < count) return false;
  return step > count || count < countOf(field) || field.over === "month";
}

/** Whether a part goes on through its field for as far as its steps lead, and so repeats with it. */
function isRound({ step, count }: Part, field: Field): boolean {
  return step !== null && step > 1 && count > countOf(field) - step;
}

function valuesOf({ from, count, step }: Part, field: Field): readonly number[] {
  const all = countOf(field);
  return Array.from({ length: Math.ceil(count / (step ?? 1)) }, (_, i) => {
    return ((from - field.low + i * (step ?? 1)) % all) + field.low;
  });
}

/** How far it is from the last value of an hour, a day, … to the first of the next. */
function overEnd(values: readonly number[], field: Field): string {
  const [first = 0] = values;
  if (field.over !== "month") return String(countOf(field) - (values.at(-1) ?? 0) + first);
  const all = MONTH_LENGTHS.map((days) => {
    return days - (values.findLast((value) => value <= days) ?? first) + first;
  });
  return `${Math.min(...all)} to ${Math.max(...all)}`;
}

function called(value: number, { at, names = [] }: Field): string {
  return `${at} ${names[value] ?? value}`;
}

/** A duration that does what was meant, where the rest of the expression asks for nothing else. */
function durationFor(
  fields: readonly string[],
  at: number,
  { text, step, count }: Part,
): { readonly suggestion?: string } {
  const { field } = named(fields)[at] ?? {};
  if (field?.unit === undefined || count < countOf(field)) return {};
  const alone = fields.every((one, i) =>
    i < at ? one === "0" : i > at ? one === "*" : one === text,
  );
  const duration = `${step}${field.unit}`;
  const ms = parseDuration(duration);
  return alone && ms !== null && DAY % ms === 0 ? { suggestion: duration } : {};
}
