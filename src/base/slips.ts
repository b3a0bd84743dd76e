/**
 * Texts that are sent as they are, in a header or an address. A slip of copying in one (a second line, a
 * space that nobody sees) is told by the character and its place: the text itself may be a secret.
 */

/** What an HTTP header can hold, with no slip of copying among it: no-break space, soft hyphen. */
const IN_HEADER = /^[\t\x20-\x7e\xa1-\xac\xae-\xff]$/;
/** What nobody writes on purpose: line ends and other controls, invisible signs, halves of pairs. */
const UNSEEN = /^(?! )[\s\p{Z}\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\ufffd]$/u;

/** What YAML gives a meaning, and what joins signs to one emoji or chooses its look. */
const MEANT = /^(?:[\t\r\u{e0020}-\u{e007f}]|\u200d|\ufe0e|\ufe0f)$/u;

const NAMES: ReadonlyMap<number, string> = new Map([
  [0x09, "a tab"],
  [0x0a, "the end of a line"],
  [0x0d, "a carriage return"],
  [0x20, "a space"],
  [0xa0, "a no-break space"],
  [0xad, "a soft hyphen"],
  [0x200b, "a zero-width space"],
  [0x200c, "a zero-width non-joiner"],
  [0x200d, "a zero-width joiner"],
  [0x2013, "a dash"],
  [0x2014, "a dash"],
  [0x2018, "a curly quote"],
  [0x2019, "a curly quote"],
  [0x201c, "a curly quote"],
  [0x201d, "a curly quote"],
  [0x2026, "three points in one sign"],
  [0x202f, "a narrow no-break space"],
  [0x2028, "a line separator"],
  [0x2060, "a word joiner"],
  [0xfeff, "a byte order mark"],
  [0xfffd, "what stands for bytes that are no text"],
]);

/** What keeps a text from being the value of a header: a character and its place; null: nothing. */
export function headerTrouble(text: string): string | null {
  const strange = placeOf(text, (one) => !IN_HEADER.test(one));
  if (strange !== null) return `${strange}, which no header can hold`;
  const edge = edgeOf(text);
  return edge === null ? null : `${edge}, which a header loses at its ends`;
}

/** What was surely not meant to be in an address: a character and its place; null: nothing. */
export function addressTrouble(text: string): string | null {
  const unseen = placeOf(text, (one) => one === " " || UNSEEN.test(one));
  return unseen === null ? null : `${unseen}, which no address holds`;
}

/** The same of text that may have spaces, but not at its ends; `what` it is. */
export function lineTrouble(text: string, what?: string): string | null {
  const unseen = placeOf(text, (one) => UNSEEN.test(one), what) ?? edgeOf(text, what);
  return unseen === null ? null : `${unseen}, which is surely a slip`;
}

/** The first sign of a line of YAML that nobody sees and that changes what the line says; null: there is none. */
export function unseenIn(line: string): string | null {
  return placeOf(line, (one) => UNSEEN.test(one) && !MEANT.test(one), "the line");
}

/** What a key of a known form does not have: a character and its place; null: all fit. */
export function formTrouble(text: string, fits: RegExp): string | null {
  const other = placeOf(text, (one) => !fits.test(one));
  return other === null ? null : `${other}, which it cannot have`;
}

function edgeOf(text: string, what?: string): string | null {
  if (text === text.trim()) return null;
  const last = /^\s/.test(text) ? 0 : text.trimEnd().length;
  let offset = 0;
  return placeOf(text, (one) => (offset += one.length) > last, what);
}

/** `character 5 of the value is U+200B, a zero-width space`, counted from 1; null: there is none. */
function placeOf(
  text: string,
  isStrange: (character: string) => boolean,
  what = "the value",
): string | null {
  const characters = [...text];
  const at = characters.findIndex(isStrange);
  const code = characters[at]?.codePointAt(0);
  if (code === undefined) return null;
  const name = NAMES.get(code);
  const hex = code.toString(16).toUpperCase().padStart(4, "0");
  return `character ${at + 1} of ${what} is U+${hex}${name === undefined ? "" : `, ${name}`}`;
}
