import { afterEach, describe, expect, it } from "vitest";
import type { RawRecord } from "../../src/model/index.ts";
import { closeAll } from "../fetch/families.ts";
import {
  ESCROW,
  movedTo,
  Service,
  TOKEN,
  TREASURY,
  tell,
  WALLETS,
  watch,
  worldOf,
} from "../support/two-families.ts";
import { MINUTE, POOL_ID, poolRecord, START } from "../support/world.ts";

afterEach(closeAll);

describe("an address that was edited", () => {
  const CHANGES = `
rules:
  - {name: since, watch: ${watch([TREASURY])}, when: {metric: balance, falls: 20%, since: 30m}, notify: [slack]}
  - {name: within, watch: ${watch([TREASURY])}, when: {metric: balance, falls: 20%, within: 30m}, notify: [slack]}
  - {name: last, watch: ${watch([TREASURY])}, when: {metric: balance, falls: 20%, since: last}, notify: [slack]}
  - {name: crossed, watch: ${watch([TREASURY])}, when: {metric: balance, crosses: 4M tokens}, notify: [slack]}
  - {name: changed, watch: ${watch([TREASURY])}, when: {metric: balance, changes: true}, notify: [slack]}
  - {name: sum, across: sum, watch: ${watch(WALLETS)}, when: {metric: balance, falls: 20%, within: 30m}, notify: [slack]}
  - {name: low, watch: ${watch([TREASURY])}, when: {metric: balance, below: 6M tokens}, notify: [slack]}
`;

  it("ends what fired on the values of before, which is no good news", async () => {
    const [service, other] = [new Service(), new Service()];
    other.balances.current = () => 9_000_000;
    const rule = `rules:\n  - {name: low, watch: ${watch([TREASURY])}, when: {metric: balance, below: 6M tokens}, notify: [slack]}\n`;
    const world = await worldOf(service, rule, "current");
    await world.minutes(5);
    await movedTo(world, (await other.open()).url, null);
    await world.minutes(5);
    const over = world.told.findLast(({ kind }) => kind === "resolved")?.notice;
    expect(over?.headline).toMatch(/^⚪ Source changed, no longer firing: /);
    expect(over?.ending).toBe("edited");
    expect(over?.fields).toContainEqual({
      name: "Reason",
      value: "the source was changed; it fired on values of the earlier one",
    });
    await world.stop();
  });

  it.each(["current", "earlier"] as const)(
    "is no change of value, with the %s family alone",
    async (family) => {
      const [service, other] = [new Service(), new Service()];
      other.balances.current = other.balances.earlier = () => 2_100_000;
      const world = await worldOf(service, CHANGES, family);
      const { url } = await other.open();
      await world.minutes(40);
      const before = tell(world);
      const state = () => world.rounds.memory.rules.at(-1)?.alerts[0]?.alert?.state;
      expect(state()).toBe("firing");
      await movedTo(world, family === "current" ? url : null, family === "current" ? null : url);
      await world.minutes(10);
      // The alert on the level is the same one, and fires still.
      expect(tell(world)).toEqual(before);
      expect(state()).toBe("firing");
      // A restart at the same address forgets nothing.
      await world.restart();
      await world.minutes(21);
      other.balances.current = other.balances.earlier = () => 1_000_000;
      await world.minutes(3);
      const news = tell(world)
        .slice(before.length)
        .map((line) => line.replace(/^\S+ /, ""));
      expect(news.toSorted()).toEqual(
        [
          "fired since",
          "fired within",
          "fired last",
          "resolved last",
          "changed changed",
          "fired sum",
        ].toSorted(),
      );
      expect(world.refused).toEqual([]);
      await world.stop();
    },
  );

  it("leaves nothing that a change could be worse than, though its rule was a level meanwhile", async () => {
    const [service, other] = [new Service(), new Service()];
    const rule = (when: string): string =>
      `rules:\n  - {name: low, watch: ${watch([TREASURY])}, when: {metric: balance, ${when}}, resolve_when: {metric: balance, above: 12M tokens}, notify: [slack]}\n`;
    const moves = rule("moves: 20%, within: 30m");
    service.balances.current = () => 10_000_000;
    const world = await worldOf(service, moves, "current");
    await world.minutes(20);
    service.balances.current = () => 7_000_000;
    await world.minutes(2);
    await world.restart(rule("below: 9M tokens"));
    await world.minutes(2);
    other.balances.current = () => 4_000_000;
    await movedTo(world, (await other.open()).url, null);
    await world.minutes(2);
    await world.restart(moves);
    await world.minutes(30);
    expect(world.story()).toEqual(["21 fired"]);
    // What it fired on is over there: the first fall at the new place is what others are further than.
    other.balances.current = () => 3_000_000;
    await world.minutes(2);
    other.balances.current = () => 2_000_000;
    await world.minutes(2);
    expect(world.story()).toEqual(["21 fired", "59 worse"]);
    await world.stop();
  });

  it("is no fall of a pool's TVL, and an older block at the new place is no lag", async () => {
    const [service, other] = [new Service(), new Service()];
    service.pool = () =>
      poolRecord({ tvl_usd: 1_000_000, block_number: "2000", timestamp: "2000" });
    other.pool = () => poolRecord({ tvl_usd: 410_000, block_number: "1000", timestamp: "1000" });
    const pool = `{kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}`;
    const world = await worldOf(
      service,
      `rules:
  - {name: fall, watch: ${pool}, when: {metric: tvl_usd, falls: 10%, within: 1h}, notify: [slack]}
  - {name: low, watch: ${pool}, when: {metric: tvl_usd, below: 500_000 usd}, notify: [slack]}
`,
      "current",
    );
    await world.minutes(45);
    const { url } = await other.open();
    await movedTo(world, url, null);
    await world.minutes(10);
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual(["fired low"]);
    await world.minutes(30);
    other.pool = () => poolRecord({ tvl_usd: 300_000, block_number: "1001", timestamp: "1001" });
    await world.minutes(3);
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual([
      "fired low",
      "fired fall",
    ]);
    await world.stop();
  });

  it("leaves hours of gas behind: what was usual is learned at the new place", async () => {
    const [service, other] = [new Service(), new Service()];
    const hoursOf = (tip: number) => (): RawRecord[] =>
      Array.from({ length: 30 }, (_, i) => ({
        hour: new Date(START + (i - 26) * 60 * MINUTE).toISOString(),
        block_count: 300,
        tx_count: "100",
        avg_base_fee: "1",
        avg_priority_fee_top10_threshold: `${tip}000000000`,
      }));
    service.hours = hoursOf(10);
    other.hours = hoursOf(3);
    const world = await worldOf(
      service,
      `rules:
  - {name: fall, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, falls: 40%, since: last}, notify: [slack]}
`,
      "current",
    );
    await world.minutes(10);
    const { url } = await other.open();
    await movedTo(world, `${url}/x`, null);
    await world.minutes(10);
    expect(tell(world)).toEqual([]);
    await world.restart();
    await world.minutes(3);
    expect(tell(world)).toEqual([]);
    await world.stop();
  });

  it("is no other source for what is asked at the other address", async () => {
    const [service, other] = [new Service(), new Service()];
    const rule = `rules:\n  - {name: pool, watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}, when: {metric: tvl_usd, changes: true}, notify: [slack]}\n`;
    const world = await worldOf(service, rule);
    await world.minutes(5);
    service.pool = () => poolRecord({ tvl_usd: 900 });
    await movedTo(world, `${world.service.baseUrl}`, (await other.open()).url);
    await world.minutes(1);
    expect(tell(world)).toEqual(["6 changed pool"]);
    await world.stop();
  });

  it("which family answers is kept, and a family taken away is another source", async () => {
    const service = new Service();
    const world = await worldOf(service, CHANGES);
    const { url } = await service.open();
    await world.minutes(40);
    const before = tell(world);
    await movedTo(world, null, `${url}/b`);
    await world.minutes(40);
    expect(tell(world)).toEqual(before);
    await world.stop();
  });

  it("begins the list of holders anew: nobody has come or gone", async () => {
    const [service, other] = [new Service(), new Service()];
    service.holders.current = () => [
      [TREASURY, 600],
      [ESCROW, 400],
    ];
    other.holders.current = () => [
      [ESCROW, 700],
      [WALLETS[2] ?? "", 300],
    ];
    const world = await worldOf(
      service,
      `rules:
  - {name: came, watch: {kind: holders, chain: 1, token: "${TOKEN}", top: 5, decimals: 6}, when: {metric: entered, equals: true}, notify: [slack]}
  - {name: went, watch: {kind: holders, chain: 1, token: "${TOKEN}", top: 5, decimals: 6}, when: {metric: left, equals: true}, notify: [slack]}
`,
      "current",
    );
    await world.minutes(5);
    const { url } = await other.open();
    await movedTo(world, url, null);
    await world.minutes(5);
    expect(tell(world)).toEqual([]);
    other.holders.current = () => [
      [ESCROW, 700],
      [TREASURY, 300],
    ];
    await world.minutes(2);
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual([
      "changed came",
      "changed went",
    ]);
    await world.stop();
  });
});
