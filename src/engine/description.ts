import type { Description, Reading } from "../watches/watch.ts";

/**
 * What a reading says of its subject for people; null while nothing was answered. A record that
 * cannot even be described must not keep its alert from being told, so that is null as well.
 */
export function descriptionOf(reading: Reading): Description | null {
  if (reading.rows.length === 0) return null;
  try {
    return reading.describe();
  } catch {
    return null;
  }
}
