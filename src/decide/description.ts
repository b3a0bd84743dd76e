import { cleanText } from "../base/text.ts";
import type { Description, Reading } from "../kinds/kind.ts";

/**
 * What a reading says of its subject for people; null while nothing was answered. A record that
 * cannot even be described must not keep its alert from being told, so that is null as well. `name`: what
 * the alert's own rule calls the subject; null: nothing, and it is called what the service says.
 */
export function descriptionOf(reading: Reading, name: string | null): Description | null {
  if (reading.rows.length === 0) return null;
  try {
    return calledBy(name, reading.describe());
  } catch {
    return null;
  }
}

/** The description with the name that a rule gives, if it gives one. */
export function calledBy(name: string | null, description: Description): Description {
  const label = name === null ? "" : cleanText(name);
  return label === "" ? description : { ...description, label };
}

/** What `shortId` makes of an id or an address. */
const SHORT_ID = /^0x[0-9a-f]+…[0-9a-f]+$/i;

/**
 * What a subject is called: as it is described now, or as it was known before where it is described by
 * its id alone, since what would tell its name was not asked for in this round.
 */
export function knownLabel(described: string | null, before: string | null): string | null {
  return described === null || (before !== null && SHORT_ID.test(described)) ? before : described;
}
