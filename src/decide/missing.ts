import type { Alert, Rule } from "../model/index.ts";

/** After so many executed rounds in a row without a value it is time to say so. */
const ROUNDS_WITHOUT_DATA = 3;

/** Whether an alert has been without a value for so long that it counts as without data. */
export function hasBeenMissing(
  { missingAfterMs }: Rule,
  { missing }: Alert,
  date: number,
): boolean {
  if (missing === null) return false;
  if (missing.told) return true;
  return missing.rounds >= ROUNDS_WITHOUT_DATA && date - missing.since >= missingAfterMs;
}

/** Whether that must be told, and was not yet. */
export function isDueAsMissing(rule: Rule, alert: Alert, date: number): boolean {
  return alert.missing?.told === false && hasBeenMissing(rule, alert, date);
}
