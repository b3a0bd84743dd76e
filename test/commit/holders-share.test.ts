import { afterEach, describe, expect, it } from "vitest";
import type { Family } from "../../src/model/index.ts";
import { closeAll, isEarlier } from "../fetch/families.ts";
import { ESCROW, Service, TOKEN, TREASURY, WALLETS, worldOf } from "../support/two-families.ts";

afterEach(closeAll);

describe("the share of the largest holders", () => {
  const rule = (chain: number): string =>
    `rules:\n  - {name: share, watch: {kind: holders, chain: ${chain}, token: "${TOKEN}", top: 2}, when: {metric: top_share, above: 50%}, notify: [slack]}\n`;

  it.each<["both" | Family, number]>([
    ["both", 8453],
    ["earlier", 8453],
    ["earlier", 1],
    ["both", 1],
    ["current", 1],
  ])("has the supply that the service has (%s, chain %i)", async (bases, chain) => {
    const service = new Service();
    const list: [string, number][] = [
      [TREASURY, 400],
      [ESCROW, 300],
      [WALLETS[2] ?? "", 300],
    ];
    service.holders.current = service.holders.earlier = () => list;
    const world = await worldOf(service, rule(chain), bases);
    await world.minutes(6);
    expect(world.rounds.memory.rules[0]?.alerts[0]?.alert).toMatchObject({
      state: "firing",
      missing: null,
    });
    // In a steady round nothing is asked that is known to be refused, and nothing twice.
    service.paths.length = 0;
    await world.minutes(1);
    expect(service.paths).toHaveLength(2);
    if (chain !== 1) expect(service.paths.every((url) => isEarlier({ url }))).toBe(true);
    await world.stop();
  });

  it("takes the info once the supply has been refused, and does not ask for that again", async () => {
    const service = new Service();
    service.holders.current = service.holders.earlier = () => [
      [TREASURY, 400],
      [ESCROW, 300],
    ];
    service.supply.current = () => null;
    const world = await worldOf(service, rule(1));
    await world.minutes(4);
    expect(world.rounds.memory.rules[0]?.alerts[0]?.alert).toMatchObject({
      state: "firing",
      missing: null,
    });
    service.paths.length = 0;
    await world.minutes(1);
    expect(service.paths.filter((url) => url.includes("/supply?"))).toEqual([]);
    await world.stop();
  });
});
