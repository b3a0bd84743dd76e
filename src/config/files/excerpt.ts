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
