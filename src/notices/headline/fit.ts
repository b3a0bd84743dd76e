import { cutText } from "../../base/text.ts";

/** A lock screen shows so many characters. */
export const HEADLINE_LENGTH = 80;
/** A tail goes before a name has to be shorter than this. */
const READABLE_NAME = 16;
/** Shorter than this a name says nothing, so a plainer line is tried. */
const SHORTEST_NAME = 8;

/** For what may be left out a name is not cut below this. */
export const WHOLE_NAME = 24;

/** A headline around a name: only the name is ever cut, and tails are left out from the last. */
export interface Line {
  readonly before: string;
  readonly name: string;
  readonly after: string;
  readonly tails: readonly string[];
  /** The name is not cut below this: a plainer line is tried before. */
  readonly least?: number;
}

/**
 * The first of the lines that fits into 80 characters. The last one must be free of numbers: it
 * is cut where even that does not fit.
 */
export function fitLine(lines: readonly Line[]): string {
  for (const { before, name, after, tails, least = 0 } of lines) {
    for (let kept = tails.length; kept >= 0; kept -= 1) {
      const rest = after + tails.slice(0, kept).join("");
      const room = HEADLINE_LENGTH - characters(before) - characters(rest);
      const needed = Math.max(least, kept > 0 ? READABLE_NAME : SHORTEST_NAME);
      if (room >= Math.min(characters(name), needed)) return before + shortened(name, room) + rest;
    }
  }
  const last = lines.at(-1);
  return cutText(last === undefined ? "" : last.before + last.name + last.after, HEADLINE_LENGTH);
}

/** A name that is too long loses what stands in brackets at its end first. */
function shortened(name: string, room: number): string {
  if (characters(name) <= room) return name;
  const plain = name.replace(/ \([^()]*\)$/, "");
  return cutText(plain === "" ? name : plain, room);
}

/** Characters as people count them: code points. */
export function characters(text: string): number {
  return [...text].length;
}
