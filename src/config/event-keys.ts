import { errorAtKey, type Path, type Report, warningAtKey } from "../engine/language/finding.ts";

/** What belongs to a state, and an event has none. */
const OF_STATES = ["for", "resolve_when", "resolve_after"] as const;

/** Checks the keys of a rule at `path` whose `when` holds an event. */
export function checkEventKeys(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  report: Report,
): void {
  for (const key of OF_STATES) {
    if (!(key in raw)) continue;
    const message = `${key} does not belong to a rule with changes or crosses: an event is over at once`;
    report(errorAtKey([...path, key], message));
  }
  if ("send_resolved" in raw) {
    const message =
      "send_resolved has no meaning with changes or crosses: nothing is ever resolved";
    report(warningAtKey([...path, "send_resolved"], message));
  }
}
