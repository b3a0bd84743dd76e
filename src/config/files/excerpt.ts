/** A part of a line that must not be shown: UTF-16 offsets, the end excluded. */
export interface Hidden {
  readonly start: number;
  readonly end: number;
}

/** So many terminal columns of a line are shown. */
const WIDEST = 110;
/** Text farther from the place than this cannot be in view. */
const REACH = 400;
const TAB = "  ";

interface Cell {
  readonly text: string;
  readonly width: number;
}

/**
 * The part of a line around `at` (a UTF-16 offset) as it can be printed: tabs as spaces, control and
 * format characters as `·`, hidden parts as `[redacted]`, cut to about 110 columns. `caret` is how
 * many columns lie before the place.
 */
export function excerpt(
  line: string,
  at: number,
  hidden: readonly Hidden[] = [],
): { source: string; caret: number } {
  const cells: Cell[] = [];
  let place = -1;
  let offset = Math.max(0, at - REACH);
  const end = Math.min(line.length, at + REACH);
  while (offset < end) {
    const position = offset;
    const secret = hidden.find((part) => part.start <= position && position < part.end);
    const next = secret?.end ?? offset + ((line.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1);
    if (place < 0 && at < next) place = cells.length;
    cells.push(secret === undefined ? cell(line.slice(offset, next)) : REDACTED);
    offset = next;
  }
  if (place < 0) place = cells.length;
  return view(cells, place, at > REACH, end < line.length);
}

const REDACTED: Cell = { text: "[redacted]", width: 10 };

function view(cells: readonly Cell[], place: number, cutBefore: boolean, cutAfter: boolean) {
  let from = place;
  let to = place;
  let width = 0;
  // A third of the view before the place, the rest after it, and what is left before it again.
  const before = (limit: number): void => {
    while (from > 0 && width + (cells[from - 1]?.width ?? 0) <= limit) {
      from--;
      width += cells[from]?.width ?? 0;
    }
  };
  before(Math.floor(WIDEST / 3));
  while (to < cells.length && width + (cells[to]?.width ?? 0) <= WIDEST) {
    width += cells[to]?.width ?? 0;
    to++;
  }
  before(WIDEST);
  const head = from > 0 || cutBefore ? "…" : "";
  const tail = to < cells.length || cutAfter ? "…" : "";
  const shown = cells.slice(from, to).map((one) => one.text);
  const columns = cells.slice(from, place).reduce((sum, one) => sum + one.width, head.length);
  return { source: `${head}${shown.join("")}${tail}`.trimEnd(), caret: columns };
}

const INVISIBLE = /^[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]$/u;
const MARK = /^\p{M}$/u;
/** East Asian scripts and pictures take two columns of a terminal. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

function cell(character: string): Cell {
  if (character === "\t") return { text: TAB, width: TAB.length };
  if (INVISIBLE.test(character)) return { text: "·", width: 1 };
  if (MARK.test(character)) return { text: character, width: 0 };
  return { text: character, width: WIDE.test(character) ? 2 : 1 };
}

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
  // What people write in its place: the list of kinds must not lose one of its words for it.
  ["type", "words"],
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
