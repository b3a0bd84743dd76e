import { describe, expect, it } from "vitest";
import type { Holding } from "../../src/cluster/worker.ts";
import { ClusterPart } from "../../src/ops/cluster-part.ts";
import { slotName } from "../../src/store/postgres/member-access.ts";
import { setupOf } from "../support/world-setup.ts";

function holding(slots: number): Holding {
  const names = Array.from({ length: slots }, (_, slot) => slotName(slot));
  return { held: new Map(names.map((name) => [name, 1])), current: new Set(), behind: new Map() };
}

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
});
