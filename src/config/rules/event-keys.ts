import { errorAtKey, type Path, type Report, warningAtKey } from "../../rules/finding.ts";

/** What belongs to a state, and an event has none. */
const OF_STATES = [
  "for",
  "resolve_when",
  "resolve_after",
  "remind",
  "worse_by",
  "on_missing",
] as const;

/** Checks the keys of a rule at `path` whose `when` holds an event, or speaks of entries as it says. */
export function checkEventKeys(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  report: Report,
  what = "changes or crosses",
): void {
  for (const key of OF_STATES) {
    if (!(key in raw)) continue;
    const message = `${key} does not belong to a rule with ${what}: an event is over at once`;
    report(errorAtKey([...path, key], message));
  }
  if ("send_resolved" in raw) {
    const message = `send_resolved has no meaning with ${what}: nothing is ever resolved`;
    report(warningAtKey([...path, "send_resolved"], message));
  }
}
