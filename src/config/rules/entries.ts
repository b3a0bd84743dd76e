import { kindOf } from "../../base/settings.ts";
import { errorAt, type Path, type Report } from "../../rules/finding.ts";
import { isMap } from "../files/shape.ts";
import type { Addresses } from "../settings/addresses.ts";
import type { Entry, Lists } from "./lists.ts";

/** Where targets come from beside the watch itself. */
export interface TargetContext {
  readonly lists: Lists;
  readonly addresses?: Addresses | undefined;
  /** Tells in a message about an entry of a list which rule uses it. */
  readonly user: string;
}

/**
 * The entries of a list of targets, those of `{list: NAME}` put in where it stands. `single`: one
 * entry may stand there without a list around it.
 */
export function entriesOf(
  raw: unknown,
  path: Path,
  single: boolean,
  expected: string,
  { lists, user }: TargetContext,
  report: Report,
): readonly Entry[] {
  const named = (item: unknown, at: Path): readonly Entry[] =>
    isMap(item) && "list" in item
      ? lists.entries(item, at, user, report)
      : [{ raw: item, path: at, report }];
  if (Array.isArray(raw)) {
    const items: readonly unknown[] = raw;
    if (items.length === 0) {
      report(errorAt(path, "is empty: the rule would watch nothing", { expected }));
    }
    return items.flatMap((item, i) => named(item, [...path, i]));
  }
  const text = typeof raw === "string" && raw !== "";
  if ((isMap(raw) && "list" in raw) || (single && (text || isMap(raw)))) return named(raw, path);
  const what =
    raw === undefined ? "is missing" : raw === null ? "has no value" : `is ${kindOf(raw)}`;
  report(errorAt(path, `${String(path.at(-1))} ${what}`, { expected }));
  return [];
}
