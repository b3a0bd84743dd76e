import { describe, expect, it } from "vitest";
import type { Holding } from "../../src/cluster/worker.ts";
import type { Setup } from "../../src/model/index.ts";
import { ClusterPart } from "../../src/ops/cluster-part.ts";
import { slotName } from "../../src/store/postgres/member-access.ts";
import { setupOf } from "../support/world-setup.ts";

function holding(slots: number): Holding {
  const names = Array.from({ length: slots }, (_, slot) => slotName(slot));
  return {
    config: 1,
    held: new Map(names.map((name) => [name, 1])),
    current: new Set(),
    behind: new Map(),
  };
}

const ids = [1, 2, 3].map((id) => `0x${id.toString(16).padStart(64, "0")}`);
const pools = ids.map((id) => `"${id}"`).join(", ");
const each = `  - {name: each, watch: {kind: v4_pool, chain: 1, pools: [${pools}]}, when: {metric: tvl_usd, below: 900}}`;
const sum = `  - {name: sum, watch: {kind: v4_pool, chain: 1, pools: [${pools}]}, across: sum, when: {metric: tvl_usd, below: 900}}`;
const OLD = setupOf(`rules:\n${each}\n`);
const NEW = setupOf(`rules:\n${each}\n${sum}\n`);

const ALL = Array.from({ length: 256 }, (_, slot) => slot);
/** Half is this one's, and the others decide theirs by configurations of these hashes. */
function holdingBeside(behind: Readonly<Record<string, readonly number[]>>): Holding {
  return {
    config: 1,
    held: new Map(ALL.slice(0, 128).map((slot) => [slotName(slot), 1])),
    current: new Set(),
    behind: new Map(Object.entries(behind).map(([hash, slots]) => [hash, new Set(slots)])),
  };
}

const watched = (part: ClusterPart, setup: Setup, of: Holding): string[] =>
  part
    .share(setup, of)
    .division.rulesIn(new Set(ALL))
    .map(({ name }) => name);

describe("a daemon's part of the work", () => {
  it("has as much of the requests to the service and to nodes as of the slots", async () => {
    const { service, ...others } = setupOf("rules: []");
    const paces: number[] = [];
    const part = new ClusterPart((of) => paces.push(of * 256));
    const enter = async (slots: number): Promise<number> => {
      const given = { ...others, service: { ...service, requestsPerSecond: 64 } };
      part.bind(given, holding(slots));
      return (await part.enter(given)).setup.service.requestsPerSecond;
    };
    // Of nothing nothing is asked, and a rate cannot be 0.
    expect(await enter(0)).toBe(0.25);
    expect(paces.splice(0).at(-1)).toBe(1);
    const more = enter(128);
    // Those who had it before may still have asked in this second.
    expect(paces).toEqual([1]);
    expect(await more).toBe(32);
    expect(paces.splice(0)).toEqual([1, 128]);
    const less = enter(64);
    expect(paces).toEqual([64]);
    expect(await less).toBe(16);
  });

  it("decides nothing while others may decide by what it does not know", () => {
    const part = new ClusterPart(() => {});
    const unknown = holdingBeside({ old: [130, 131] });
    expect(watched(part, NEW, unknown)).toEqual([]);
    expect(part.waitingText(NEW, unknown)).not.toBe(part.waitingText(NEW, holdingBeside({})));
    expect(watched(part, NEW, holdingBeside({}))).toEqual(["each", "sum"]);
  });

  it("lets wait what others have in another slot, once it knows by what they decide", () => {
    const part = new ClusterPart(() => {});
    const together = part
      .share(NEW, holdingBeside({}))
      .division.slotOf("each", `v4_pool:1:${ids[0]}`);
    const behind = holdingBeside({ old: ALL.filter((slot) => slot !== together) });
    expect(part.share(NEW, behind).division.waitingIn(new Set(ALL)).size).toBe(256);
    part.know("old", OLD);
    expect(part.share(NEW, behind).division.waitingIn(new Set(ALL))).toEqual(new Set([together]));
  });
});
