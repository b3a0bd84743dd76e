import { describe, expect, it } from "vitest";
import { acrossSubject } from "../../src/decide/across.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { chainOfKey, type Target, type WatchKind } from "../../src/kinds/kind.ts";

const EACH = [...KINDS.values()].map((watch) => [watch.kind, watch] as const);

function target(chainId: number, id: string): Target {
  const wallet = `0x${"34".repeat(20)}`;
  return { chainId, id, protocol: "dexa", wallet, name: "Treasury", options: { top: "10" } };
}

/** Subjects on three chains in the order of their keys, as a rule's version has them. */
function subjectsOf(watch: WatchKind): string[] {
  const ids = watch.kind === "source" ? ["v4_pool", "gas"] : ["0x01", `0x${"fe".repeat(20)}`];
  return [137, 1, 13_371]
    .flatMap((chainId) => ids.map((id) => watch.subject(target(chainId, id)).key))
    .toSorted();
}

describe("the key of a subject", () => {
  it.each(EACH)("of %s names its chain", (kind, watch) => {
    for (const chainId of [1, 137, 747_474]) {
      const subject = watch.subject(target(chainId, kind === "source" ? "v4_pool" : "0x12"));
      expect(chainOfKey(subject.key) ?? 0).toBe(subject.chainId);
    }
  });

  it.each(EACH)("of %s lies beside those on the same chain", (_kind, watch) => {
    const chains = subjectsOf(watch).map(chainOfKey);
    const changes = chains.filter((chain, i) => i > 0 && chain !== chains[i - 1]).length;
    expect(changes).toBe(new Set(chains).size - 1);
  });

  it("that stands for several subjects names none", () => {
    const subject = KINDS.get("gas")?.subject(target(137, "0x12"));
    if (subject === undefined) throw new Error("no gas");
    expect(chainOfKey(acrossSubject("gas", "sum", [subject]).key)).toBeNull();
  });
});
