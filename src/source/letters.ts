/** The letters and digits of a text in lower case, each with the place from which it was read. */
export interface Letters {
  readonly text: string;
  /** UTF-16 offsets, by letter; the end excluded. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** One letter as URLs, JSON and HTML may write it, or as it is; the escapes escaped themselves, too. */
const WRITTEN =
  /%(?:25){0,3}([0-9a-f]{2})|\\{1,4}u([0-9a-f]{4})|\\{0,4}u\{([0-9a-f]{1,6})\}|\\{1,4}x([0-9a-f]{2})|&#0{0,4}([1-9]\d{0,6});|&#x0{0,4}([0-9a-f]{1,6});|[^]/giu;
const ESCAPES = /[%\\&]/;

/** The letters of a text; `escapes`: as they are meant where they are written with escapes. */
export function lettersOf(text: string, escapes = true): Letters {
  const found = { text: "", starts: [] as number[], ends: [] as number[] };
  if (escapes && ESCAPES.test(text)) {
    for (const match of text.matchAll(WRITTEN)) {
      const [whole, ...codes] = match;
      const at = codes.findIndex((code) => code !== undefined);
      const code = Number.parseInt(codes[at] ?? "", at === DECIMAL ? 10 : 16);
      add(found, at < 0 ? whole.charCodeAt(0) : code, match.index, match.index + whole.length);
    }
  } else {
    for (let at = 0; at < text.length; at += 1) add(found, text.charCodeAt(at), at, at + 1);
  }
  return found;
}

/** The group above whose number is decimal. */
const DECIMAL = 4;
const LETTER_CASE = 32;

function add(
  found: { text: string; readonly starts: number[]; readonly ends: number[] },
  code: number,
  start: number,
  end: number,
): void {
  const isUpper = code >= 65 && code <= 90;
  const isLetter = isUpper || (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
  if (!isLetter) return;
  found.text += String.fromCharCode(isUpper ? code + LETTER_CASE : code);
  found.starts.push(start);
  found.ends.push(end);
}
