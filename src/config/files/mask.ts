import type { Hidden } from "./excerpt.ts";

/** What of a key's value a message may show; `names` are those that people give to channels and rules. */
type Shown = "nothing" | "words" | "names" | "values";

const NAMES_IN = "match notify rule mute days chain protocol labels".split(" ");
const VALUES_IN = (
  "rules store retention timezone schedule severity level every base_url legacy_base_url timeout concurrency " +
  "requests_per_second group_wait more_than within continue mute_critical"
).split(" ");
/** The keys of config.yaml whose values may be shown; what is not named here may be a secret. */
const SHOWN: ReadonlyMap<string, Shown> = new Map<string, Shown>([
  ["kind", "words"],
  ["starttls", "words"],
  ...NAMES_IN.map((key): [string, Shown] => [key, "names"]),
  ...VALUES_IN.map((key): [string, Shown] => [key, "values"]),
]);
/** Those whose values may go on in the lines below. */
const LISTS: ReadonlySet<string> = new Set(["rules", "notify", "mute", "days", "rule", "chain"]);
/** What is longer, or has more digits, may well be a key that was put in the wrong place. */
const LONGEST_NAME = 24;
const MOST_DIGITS = 3;

const KEY = /(?:^|[\s{,[])(["']?)([A-Za-z_][\w-]*)\1\s*:(?=\s|$)/g;
const REFERENCE = /\$\{(?:env|file):[^}"'\s]*\}/g;

/**
 * The parts of a line of config.yaml that a message must not show: every value but those of a few
 * keys, and references, which name a secret but hold none. `above` are the lines before it, for a
 * line that goes on with the value of an earlier key. It reads the text alone, so that it also works
 * for a file that is no YAML.
 */
export function hiddenParts(whole: string, above: readonly string[]): readonly Hidden[] {
  const hidden: Hidden[] = [];
  // A comment may hold a key of last year. In quotes a # begins none, but what it hides there may go.
  const comment = /(?:^|\s)#\s*(?=\S)/.exec(whole);
  const end = comment === null ? whole.length : comment.index + comment[0].length;
  if (end < whole.length) hidden.push({ start: end, end: whole.length });
  const line = whole.slice(0, end);
  let start = 0;
  let shown: Shown = shownBelow(above);
  for (const match of line.matchAll(KEY)) {
    const key = match.index + match[0].search(/["'A-Za-z_]/);
    hide(line, start, key, shown, hidden);
    start = match.index + match[0].length;
    shown = SHOWN.get(match[2] ?? "") ?? "nothing";
  }
  hide(line, start, line.length, shown, hidden);
  return hidden;
}

/** What a line without a key shows, which goes on with the value of the one above it. */
function shownBelow(above: readonly string[]): Shown {
  const key = above.flatMap((line) => [...line.matchAll(KEY)]).at(-1)?.[2] ?? "";
  return LISTS.has(key) ? (SHOWN.get(key) ?? "nothing") : "nothing";
}

/** Hides words within a part of a line; brackets, quotes and references stay. */
function hide(line: string, start: number, end: number, shown: Shown, hidden: Hidden[]): void {
  const part = line.slice(start, end);
  const references = [...part.matchAll(REFERENCE)];
  for (const [word, from] of [...part.matchAll(/[^\s{}[\]"',]+/g)].map(
    (m) => [m[0], m.index] as const,
  )) {
    const to = from + word.length;
    const inside = references.some((one) => one.index <= from && to <= one.index + one[0].length);
    const structural = /^(?:-|:|#|\$|[|>][+-]?)$/.test(word);
    if (inside || structural || isShown(word, shown)) continue;
    hidden.push({ start: start + from, end: start + to });
  }
}

/** Whether a word looks like the name of a kind: a secret pasted there does not. */
export function isKindWord(word: string): boolean {
  return /^[A-Za-z][A-Za-z_-]{0,15}$/.test(word);
}

function isShown(word: string, shown: Shown): boolean {
  if (shown === "nothing") return false;
  if (shown === "words") return isKindWord(word);
  return shown === "names" ? isName(word) : isHarmless(word);
}

function isName(word: string): boolean {
  const digits = word.replaceAll(/\D/g, "").length;
  return word.length <= LONGEST_NAME && digits <= MOST_DIGITS && /^[\p{L}\p{N}_.*-]+$/u.test(word);
}

/** `api_key:x` without a space, and addresses with a password or a query, are not. */
function isHarmless(word: string): boolean {
  return /^https?:\/\/[^@?#]*$/.test(word) || !/[:@=]/.test(word);
}
