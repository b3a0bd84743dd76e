import { afterEach, describe, expect, it } from "vitest";
import { closeAll, sourceAt } from "../fetch/families.ts";
import {
  ESCROW,
  Service,
  selfLines,
  TOKEN,
  TREASURY,
  TWO_RULES,
  TWO_TOKENS,
  tell,
  WALLETS,
  watch,
  worldOf,
} from "../support/two-families.ts";
import { MINUTE, World } from "../support/world.ts";

afterEach(closeAll);

describe("a balance that two families can answer", () => {
  it("goes to the other family once the first has stopped answering, which is no change of value", async () => {
    const service = new Service();
    const world = await worldOf(
      service,
      `rules:
  - {name: low, watch: ${watch([TREASURY])}, when: {metric: balance, below: 4M tokens}, notify: [slack]}
  - {name: moved, watch: ${watch([TREASURY])}, when: {metric: balance, moves: 10%, since: 30m}, notify: [slack]}
  - {name: crossed, watch: ${watch([TREASURY])}, when: {metric: balance, crosses: 4.5M tokens}, notify: [slack]}
  - {name: sum, across: sum, watch: ${TWO_TOKENS}, when: {metric: balance, falls: 10%, within: 1h}, notify: [slack]}
`,
    );
    await world.minutes(40);
    service.balances.current = () => null;
    await world.minutes(3);
    expect(tell(world)).toEqual([]);
    await world.minutes(4);
    // What is so now fires; nothing has moved, and nobody is without data.
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual(["fired low"]);
    expect(selfLines(world)).toEqual([
      expect.stringContaining("The earlier family answers for token balances now"),
    ]);
    // It stays there when the first one is back, over a restart as well.
    service.balances.current = () => 5_200_000;
    await world.minutes(30);
    await world.restart();
    await world.minutes(30);
    expect(tell(world)).toHaveLength(1);
    // And moves are measured from then on.
    service.balances.earlier = () => 3_000_000;
    await world.minutes(5);
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual([
      "fired low",
      "fired moved",
      "fired sum",
    ]);
    expect(world.refused).toEqual([]);
    await world.stop();
  });

  it("goes there in one notice, however many rounds of other schedules find it", async () => {
    const service = new Service();
    const rule = (name: string, wallet: string, schedule: string): string =>
      `  - {name: ${name}, watch: ${watch([wallet])}, when: {metric: balance, below: 1}, schedule: ${schedule}, missing_after: 10m}\n`;
    const world = await worldOf(
      service,
      `rules:\n${rule("a", TREASURY, "1m")}${rule("b", ESCROW, "2m")}`,
    );
    await world.minutes(20);
    service.balances.earlier = () => null;
    await world.minutes(20);
    const there = expect.stringContaining("The current family answers for token balances now");
    expect(selfLines(world)).toEqual([there]);
    // The way back is news.
    service.balances.earlier = () => 3_900_000;
    service.balances.current = () => null;
    await world.minutes(20);
    const back = expect.stringContaining("The earlier family answers for token balances now");
    expect(selfLines(world)).toEqual([there, back]);
    // And so is the way there once more, though it is not an hour since the first time.
    service.balances.earlier = () => null;
    service.balances.current = () => 5_200_000;
    await world.minutes(20);
    expect(selfLines(world)).toEqual([there, back, there]);
    await world.stop();
  });

  it("stays there over a restart where it is only a part of a sum that is compared with", async () => {
    const service = new Service();
    service.balances.earlier = (wallet) => (wallet === TREASURY ? 5_000_000 : 2_000_000);
    service.balances.current = (wallet) => (wallet === TREASURY ? 5_000_000 : 3_000_000);
    const world = await worldOf(
      service,
      `references:
  others: {across: sum, watch: ${watch(WALLETS.slice(1))}, metric: balance}
rules:
  - {name: less, watch: ${watch([TREASURY])}, when: {metric: balance, below: others}, notify: [slack]}
`,
    );
    await world.minutes(20);
    expect(tell(world)).toEqual([]);
    const { earlier } = service.balances;
    service.balances.earlier = () => null;
    await world.minutes(20);
    service.balances.earlier = earlier;
    await world.minutes(5);
    await world.restart();
    await world.minutes(20);
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual(["fired less"]);
    await world.stop();
  });

  it("goes there for a rule as well that is only due after a restart", async () => {
    const service = new Service();
    const world = await worldOf(
      service,
      `rules:
  - {name: low, watch: ${watch([TREASURY])}, when: {metric: balance, below: 1}, schedule: 1m, notify: [slack]}
  - {name: crossed, watch: ${watch([TREASURY])}, when: {metric: balance, crosses: 4.5M tokens}, schedule: 30m, notify: [slack]}
`,
    );
    await world.minutes(31);
    service.balances.current = () => null;
    await world.minutes(15);
    expect(selfLines(world)).toHaveLength(1);
    await world.restart();
    await world.minutes(50);
    expect(tell(world)).toEqual([]);
    service.balances.earlier = () => 5_200_000;
    await world.minutes(31);
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual(["changed crossed"]);
    await world.stop();
  });

  it("goes there in a notice of its own where others went more than an hour before", async () => {
    const service = new Service();
    const rule = (name: string, token: string, wallet: string): string =>
      `  - {name: ${name}, watch: {kind: token_balance, chain: 1, token: "${token}", wallet: "${wallet}", decimals: 6}, when: {metric: balance, below: 1}}\n`;
    const world = await worldOf(
      service,
      `rules:\n${rule("a", TOKEN, TREASURY)}${rule("b", `0x${"bb".repeat(20)}`, ESCROW)}`,
    );
    await world.minutes(5);
    const gone = new Set([TREASURY]);
    service.balances.current = (wallet) => (gone.has(wallet) ? null : 5_200_000);
    await world.minutes(40);
    const there = expect.stringContaining("The earlier family answers for token balances now");
    expect(selfLines(world)).toEqual([there]);
    await world.minutes(40);
    gone.add(ESCROW);
    await world.minutes(40);
    expect(selfLines(world)).toEqual([there, there]);
    await world.stop();
  });

  it("tells of all that go there with the first of them, so that no kill in between loses it", async () => {
    const service = new Service();
    const rule = (name: string, wallet: string, schedule: string): string =>
      `  - {name: ${name}, watch: ${watch([wallet])}, when: {metric: balance, below: 1}, schedule: ${schedule}, missing_after: 10m}\n`;
    const [, , other = ""] = WALLETS;
    const world = await worldOf(
      service,
      `rules:\n${rule("a", TREASURY, "1m")}${rule("b", ESCROW, "2m")}${rule("c", other, "1h")}`,
    );
    await world.minutes(20);
    const commit = world.store.commit.bind(world.store);
    let isKilled = false;
    world.store.commit = async (change) => {
      if (isKilled) throw new Error("killed");
      await commit(change);
      isKilled = change.marks.some(({ subject }) => subject.startsWith("family:"));
    };
    service.balances.earlier = () => null;
    await world.minutes(10);
    expect(isKilled).toBe(true);
    world.store.commit = commit;
    await world.restart();
    await world.minutes(10);
    const told = world.told.filter(({ kind }) => kind === "self").map(({ notice }) => notice);
    expect(told.map(({ headline }) => headline)).toEqual([
      expect.stringContaining("The current family answers for token balances now"),
    ]);
    // The third one is not asked before its hour is over.
    expect(told[0]?.fields.find(({ name }) => name === "Subjects")?.value).toBe(
      "2 are asked there",
    );
    await world.stop();
  });

  it("tells once of each way where some go there and others back in one round", async () => {
    const service = new Service();
    const { url } = await service.open();
    const [baseUrl, legacyBaseUrl] = [`${url}/a`, `${url}/b`];
    const wallets = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `0x${String(n).repeat(40)}`);
    // A request each, so that they answer one after the other.
    const rules = wallets.map((wallet, i) => {
      const token = `0x${`a${i}`.repeat(20)}`;
      return `  - {name: r${i}, watch: {kind: token_balance, chain: 1, token: "${token}", wallet: "${wallet}", decimals: 6}, when: {metric: balance, below: 1}, missing_after: 3h}\n`;
    });
    let now = 0;
    const world = await World.create(`rules:\n${rules.join("")}`, {
      source: sourceAt(baseUrl, legacyBaseUrl, { retryMs: 1, now: () => now + performance.now() }),
      service: { baseUrl, legacyBaseUrl },
    });
    const minutes = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i += 1) {
        now += MINUTE;
        await world.minutes(1);
      }
    };
    await minutes(10);
    const half = new Set(wallets.filter((_, i) => i % 2 === 0));
    service.balances.current = (wallet) => (half.has(wallet) ? null : 5_000_000);
    await minutes(80);
    const before = selfLines(world);
    expect(before).toEqual([expect.stringContaining("The earlier family answers")]);
    const { earlier } = service.balances;
    service.balances.current = () => null;
    service.balances.earlier = () => null;
    await minutes(5);
    service.balances.current = () => 5_000_000;
    service.balances.earlier = earlier;
    await minutes(30);
    const told = selfLines(world).slice(before.length).toSorted();
    expect(told).toEqual([
      expect.stringContaining("The current family answers"),
      expect.stringContaining("The earlier family answers"),
    ]);
    await world.stop();
  });

  it("tells that it went there with a later round where the store refused the notice", async () => {
    const service = new Service();
    const world = await worldOf(service, TWO_RULES);
    await world.minutes(20);
    const commit = world.store.commit.bind(world.store);
    let refusals = 0;
    world.store.commit = async (change) => {
      const isSelf = change.notices.some(({ notice }) => notice.kind === "self");
      if (isSelf && refusals < 2) {
        refusals += 1;
        throw new Error("refused");
      }
      return await commit(change);
    };
    service.balances.earlier = () => null;
    await world.minutes(20);
    expect(refusals).toBe(2);
    expect(selfLines(world)).toEqual([
      expect.stringContaining("The current family answers for token balances now"),
    ]);
    await world.stop();
  });

  it("that ends a firing when it comes from elsewhere ends it once, over a restart as well", async () => {
    const service = new Service();
    service.balances.earlier = () => 9_000_000;
    const rule = `rules:\n  - {name: low, watch: ${watch([TREASURY])}, when: {metric: balance, below: 6M tokens}, notify: [slack]}\n`;
    const world = await worldOf(service, rule, "both");
    const kinds = (): string[] => tell(world).map((line) => line.split(" ")[1] ?? "");
    await world.minutes(20);
    service.balances.current = () => null;
    for (let i = 0; i < 20 && !kinds().includes("resolved"); i += 1) await world.minutes(1);
    await world.restart();
    await world.minutes(3);
    expect(kinds()).toEqual(["fired", "resolved"]);
    await world.stop();
  });
});
