import { nearest } from "../base/nearest.ts";
import { kindOf } from "../base/settings.ts";
import { errorAt, type Path, type Report } from "../engine/language/finding.ts";
import { shown } from "../engine/language/quantity-error.ts";
import type { WatchKind } from "../watches/watch.ts";
import type { Lists } from "./lists.ts";
import { isMap } from "./shape.ts";
import { readTargets, type Targets } from "./targets.ts";

export const WATCH_EXPECTED = "what to look at, such as {kind: gas, chain: ethereum}";

/** The kinds of the documents; those without an entry in the registry are not built yet. */
const ALL_KINDS: ReadonlySet<string> = new Set([
  "gas",
  "token_supply",
  "token_balance",
  "holder_count",
  "holders",
  "v4_pool",
  "v4_position",
  "token_info",
  "token_price",
  "v3_pool",
  "v4_pool_24h",
  "v4_swaps",
  "v3_swaps",
  "v4_liquidity",
  "pool_history",
  "price_history",
  "source",
]);

/** What a rule's `watch` says. */
export interface Watch {
  readonly kind: WatchKind;
  readonly targets: Targets;
}

/**
 * Reads `watch` of the rule called `rule`: the kind and what it is to look at. Null after reporting
 * that there is no kind.
 */
export function readWatch(
  raw: unknown,
  path: Path,
  rule: string,
  watches: ReadonlyMap<string, WatchKind>,
  lists: Lists,
  report: Report,
): Watch | null {
  if (raw === undefined) return null;
  const expected = WATCH_EXPECTED;
  if (!isMap(raw)) {
    report(errorAt(path, raw === null ? "has no value" : `is ${kindOf(raw)}`, { expected }));
    return null;
  }
  const name = raw.kind;
  if (typeof name !== "string") {
    report(
      errorAt([...path, "kind"], "the watch has no kind", {
        expected: [...watches.keys()].join(", "),
      }),
    );
    return null;
  }
  const kind = watches.get(name);
  if (kind !== undefined) {
    const context = { lists, user: `for the rule ${shown(rule)} of kind ${name}` };
    return { kind, targets: readTargets(raw, path, kind, context, report) };
  }
  if (ALL_KINDS.has(name)) {
    report(errorAt([...path, "kind"], `the kind ${name} is not built yet in this version`));
    return null;
  }
  const near = nearest(name, new Set([...watches.keys(), ...ALL_KINDS]));
  const hint = { expected: [...watches.keys()].join(", ") };
  report(
    errorAt(
      [...path, "kind"],
      `${shown(name)} is no kind`,
      near === null ? hint : { ...hint, suggestion: near },
    ),
  );
  return null;
}
