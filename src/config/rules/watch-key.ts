import { isMap } from "../../base/json.ts";
import { suggest, synonymsOf } from "../../base/suggest.ts";
import { cleanText } from "../../base/text.ts";
import type { WatchKind } from "../../kinds/kind.ts";
import {
  errorAt,
  errorAtKey,
  type Path,
  type Report,
  shown,
  wrongType,
} from "../../rules/finding.ts";
import type { Addresses } from "../settings/addresses.ts";
import { WATCH_SYNONYMS } from "../synonyms.ts";
import type { Lists } from "./lists.ts";
import { readTargets, type Targets } from "./targets.ts";

export const WATCH_EXPECTED = "what to look at, such as {kind: gas, chain: ethereum}";

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
  addresses: Addresses | undefined,
  report: Report,
): Watch | null {
  if (raw === undefined) return null;
  const expected = WATCH_EXPECTED;
  if (!isMap(raw)) {
    report(wrongType(path, raw, expected));
    return null;
  }
  const offered = [...watches.values()].filter(({ variantOf }) => variantOf === undefined);
  const words = offered.map(({ kind }) => kind);
  const name = raw.kind;
  if (typeof name !== "string") {
    const other = Object.keys(raw).find((key) => suggest(key, ["kind"], WATCH_SYNONYMS) !== null);
    report(
      other === undefined || "kind" in raw
        ? errorAt("missing-key", [...path, "kind"], "the watch has no kind", words.join(", "))
        : errorAtKey(
            "unknown-key",
            [...path, other],
            `unknown key \`${cleanText(other, 60)}\` in a watch`,
            {
              suggestion: "kind",
            },
          ),
    );
    return null;
  }
  const kind = offered.find((one) => one.kind === name);
  if (kind !== undefined) {
    const context = { lists, addresses, user: `for the rule ${shown(rule)} of kind ${name}` };
    const targets = readTargets(raw, path, kind, context, report);
    // An option may have chosen another kind, which its subjects are of.
    const [first] = targets.subjects;
    const own = watches.get(first?.kind ?? name) ?? kind;
    return { kind: own.ofSubjects?.(targets.subjects) ?? own, targets };
  }
  const near = suggest(name, words, synonymsOf(watches));
  const hint = { expected: words.join(", ") };
  report(
    errorAt("unknown-kind", [...path, "kind"], `unknown kind ${shown(name)}`, {
      ...hint,
      suggestion: near,
    }),
  );
  return null;
}
