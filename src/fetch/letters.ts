/** The letters and digits of a text in lower case, each with the place from which it was read. */
export interface Letters {
  readonly text: string;
  /** UTF-16 offsets, by letter; the end excluded. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** One letter as URLs, JSON and HTML may write it; the escapes may be escaped themselves. */
const ESCAPED =
  /%(?:25){0,3}([0-9a-f]{2})|\\{1,4}u([0-9a-f]{4})|\\{0,4}u\{([0-9a-f]{1,6})\}|\\{1,4}x([0-9a-f]{2})|&#0{0,4}([1-9]\d{0,6});|&#x0{0,4}([0-9a-f]{1,6});/gi;
/** The group above whose number is decimal. */
const DECIMAL = 4;

/** The letters of a text; `escapes`: as they are meant where they are written with escapes. */
export function lettersOf(text: string, escapes = true): Letters {
  const found = new Found();
  let from = 0;
  if (escapes) {
    for (const { 0: whole, index, ...groups } of text.matchAll(ESCAPED)) {
      found.addAll(text, from, index);
      const codes = [groups[1], groups[2], groups[3], groups[4], groups[5], groups[6]];
      const at = codes.findIndex((code) => code !== undefined);
      from = index + whole.length;
      found.add(Number.parseInt(codes[at] ?? "", at === DECIMAL ? 10 : 16), index, from);
    }
  }
  found.addAll(text, from, text.length);
  return found;
}

/** What turns a capital into a small letter. */
const SMALL = 32;

class Found implements Letters {
  text = "";
  readonly starts: number[] = [];
  readonly ends: number[] = [];

  addAll(text: string, start: number, end: number): void {
    for (let at = start; at < end; at += 1) this.add(text.charCodeAt(at), at, at + 1);
  }

  add(code: number, start: number, end: number): void {
    const isCapital = code >= 65 && code <= 90;
    if (!isCapital && !(code >= 97 && code <= 122) && !(code >= 48 && code <= 57)) return;
    this.text += String.fromCharCode(isCapital ? code + SMALL : code);
    this.starts.push(start);
    this.ends.push(end);
  }
}
