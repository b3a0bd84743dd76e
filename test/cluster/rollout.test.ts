import { describe, expect, it } from "vitest";
import type { ClusterView, Lease, Living, Registered } from "../../src/cluster/leases.ts";
import { behindOf, standingOf } from "../../src/cluster/rollout.ts";

const config = (number: number, isBegun: boolean): Registered => {
  return { number, hash: `hash ${number}`, by: "one", isStored: true, isBegun };
};
const member = (id: string, decides: number | null, passed: number | null): Living => {
  return { id, name: id, rests: false, weight: 1, decides, passed };
};
const view = (
  configs: readonly Registered[],
  members: readonly Living[],
  leases: readonly Lease[] = [],
): ClusterView => ({ configs, members, leases, lastNotice: 0 });

const WAITING = [config(3, false), config(2, false), config(1, true)];

describe("a new configuration", () => {
  it.each<[string, boolean, readonly Registered[], readonly Living[]]>([
    [
      "waits for who has not looked at it",
      false,
      WAITING,
      [member("a", 1, 3), member("b", 1, null)],
    ],
    [
      "waits for who knows the one before only",
      false,
      WAITING,
      [member("a", 1, 3), member("b", 1, 2)],
    ],
    [
      "goes into force once all can decide by it",
      true,
      WAITING,
      [member("a", 1, 3), member("b", 1, 3)],
    ],
    [
      "does where nobody decides by the one in force, but by others or none",
      true,
      WAITING,
      [member("a", 2, 3), member("b", null, null)],
    ],
    [
      "goes on once it has begun, whoever comes",
      true,
      [config(3, true), config(1, true)],
      [member("a", 3, 3), member("b", 1, null)],
    ],
    ["is the first one where there was none", true, [config(1, false)], [member("a", null, null)]],
  ])("%s", (_, isDue, configs, members) => {
    expect(standingOf(view(configs, members))?.isDue).toBe(isDue);
  });

  it("says which is in force, and who lacks it", () => {
    const members = [member("a", 1, 3), member("b", 1, 2), member("c", 1, null)];
    const standing = standingOf(view(WAITING, members));
    expect([standing?.newest.number, standing?.force?.number]).toEqual([3, 1]);
    expect(standing?.lacking.map(({ name }) => name)).toEqual(["b", "c"]);
    expect(standingOf(view([], members))).toBeNull();
  });
});

it("what others still decide by older configurations is known by these, and waits", () => {
  const lease = (slot: number, owner: string | null, decides: number | null): Lease => {
    return { name: `s00${slot}`, owner, epoch: 1, config: null, decides };
  };
  const leases = [
    lease(0, "me", 1),
    lease(1, "a", 1),
    lease(2, "dead", 1),
    lease(3, "a", 2),
    // By one that is not kept, or by one that nobody has said.
    lease(4, "a", 7),
    lease(5, "a", null),
    lease(6, null, 1),
    lease(7, "a", 8),
    lease(8, "a", 9),
    { name: "keeper", owner: "a", epoch: 1, config: null, decides: 1 },
  ];
  const behind = behindOf(
    view([config(8, true), config(2, true), config(1, true)], [], leases),
    "me",
    8,
  );
  expect([...behind].map(([hash, slots]) => [hash, [...slots]])).toEqual([
    ["hash 1", [1, 2]],
    ["hash 2", [3]],
    ["", [4, 5]],
  ]);
});
