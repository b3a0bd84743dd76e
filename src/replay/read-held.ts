import { isMap } from "../base/json.ts";
import type { WatchKind } from "../kinds/kind.ts";
import { ownerKey } from "../kinds/owned.ts";
import type { Holdings, Owner, Rule } from "../model/index.ts";
import { errorAt, type Path, type Report, shown } from "../rules/finding.ts";
import { readList } from "./reading.ts";

/** Rules by owner in a case, and the kinds that they are of. */
interface OwnerRules {
  readonly rules: readonly Rule[];
  readonly kinds: ReadonlyMap<string, WatchKind>;
}

const EXPECTED = "ids of positions such as [42, 43], or a map of them by owner";

/**
 * Reads what the owners of a case's rules hold: ids of positions that each of them has, or ids by owner. Null
 * where no rule is by owner, and after reporting what is wrong.
 */
export function readHeld(
  raw: unknown,
  path: Path,
  { rules, kinds }: OwnerRules,
  report: Report,
): Holdings | null {
  const owners = rules.flatMap((rule) =>
    (rule.owners ?? []).flatMap((owner) => {
      const kind = kinds.get(rule.kind);
      return kind === undefined ? [] : [{ owner, key: ownerKey(kind.kind, owner) }];
    }),
  );
  if (owners.length === 0) {
    if (raw === undefined) return null;
    report(errorAt("misplaced-key", path, "no rule of the case watches positions by owner"));
    return null;
  }
  if (raw === undefined) {
    const message = "is missing: the case has a rule by owner";
    report(errorAt("missing-key", path, message, EXPECTED));
    return null;
  }
  if (!isMap(raw)) {
    const ids = readIds(raw, path, report);
    return new Map(owners.map(({ key }) => [key, ids]));
  }
  const held = new Map(owners.map(({ key }) => [key, NOTHING]));
  for (const [name, value] of Object.entries(raw)) {
    const its = owners.filter(({ owner }) => isCalled(owner, name));
    if (its.length === 0) {
      const expected = owners.map(({ owner }) => owner.name ?? owner.address).join(", ");
      const message = `no rule of the case is by the owner ${shown(name)}`;
      report(errorAt("unknown-subject", [...path, name], message, expected));
    }
    const ids = readIds(value, [...path, name], report);
    for (const { key } of its) held.set(key, ids);
  }
  return held;
}

/** What owners hold from steps on, by the place of the step in the list. */
export function heldLater(
  raw: unknown,
  path: Path,
  rules: OwnerRules,
  report: Report,
): ReadonlyMap<number, Holdings> {
  const later = new Map<number, Holdings>();
  for (const [i, step] of (Array.isArray(raw) ? raw : []).entries()) {
    if (!isMap(step) || step.held === undefined) continue;
    const held = readHeld(step.held, [...path, i, "held"], rules, report);
    if (held !== null) later.set(i, held);
  }
  return later;
}

/** All that is held at some time. */
export function together(all: readonly Holdings[]): Holdings {
  const sum = new Map<string, ReadonlyMap<string, string>>();
  for (const held of all) {
    for (const [key, its] of held) sum.set(key, new Map([...(sum.get(key) ?? []), ...its]));
  }
  return sum;
}

const NOTHING: ReadonlyMap<string, string> = new Map();

function isCalled({ name, address }: Owner, text: string): boolean {
  return name === text || address === text.toLowerCase();
}

function readIds(raw: unknown, path: Path, report: Report): ReadonlyMap<string, string> {
  const ids = readList(raw, path, EXPECTED, report).map(String);
  const wrong = ids.find((id) => !/^\d{1,78}$/.test(id));
  if (wrong !== undefined) {
    const message = `${shown(wrong)} is no id of a position`;
    report(errorAt("bad-id", path, message, EXPECTED));
  }
  return new Map(ids.map((id) => [id, `#${id}`]));
}
