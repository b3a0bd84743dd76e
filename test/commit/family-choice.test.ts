import { afterEach, describe, expect, it } from "vitest";
import type { Source } from "../../src/fetch/source.ts";
import { closeAll, isEarlier } from "../fetch/families.ts";
import {
  ESCROW,
  movedTo,
  Service,
  selfLines,
  TREASURY,
  TWO_RULES,
  tell,
  WALLETS,
  watch,
  worldOf,
} from "../support/two-families.ts";
import { MINUTE } from "../support/world.ts";

afterEach(closeAll);

describe("a balance that two families can answer", () => {
  it("is asked at one of them, whichever rules are due, however far they are apart", async () => {
    const service = new Service();
    const world = await worldOf(service, TWO_RULES);
    await world.minutes(21);
    await world.restart();
    await world.minutes(21);
    // Whatever that family says, it is said once.
    const told = tell(world).map((line) => line.replace(/^\S+ /, ""));
    expect(told.filter((line) => line !== "fired treasury-low")).toEqual([]);
    expect(told.length).toBeLessThan(2);
    const familiesOf = (wallet: string): Set<boolean> =>
      new Set(
        service.paths
          .filter((url) => url.includes("/balance?") && url.includes(wallet))
          .map((url) => isEarlier({ url })),
      );
    // The first plan decides, and later rounds and runs follow it.
    for (const wallet of WALLETS) expect(familiesOf(wallet).size).toBe(1);
    await world.stop();
  });

  it("tells one withdrawal once where one family lags", async () => {
    const service = new Service();
    let now = (): number => 0;
    let at = Number.POSITIVE_INFINITY;
    service.balances.current = () => (now() >= at ? 4_000_000 : 5_200_000);
    service.balances.earlier = () => (now() >= at + 25_000 ? 4_000_000 : 5_200_000);
    const rules = TWO_RULES.replace("below: 4M", "below: 4.5M").replace(
      "schedule: 1m",
      "schedule: 10s",
    );
    const world = await worldOf(service, rules);
    now = () => world.clock.now();
    await world.run(40 * MINUTE);
    at = now() + 5_000;
    await world.run(10 * MINUTE);
    // Both rules, once for each alert.
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual([
      "fired treasury-low",
      ...WALLETS.map(() => "fired escrow-moved"),
    ]);
    await world.stop();
  });

  it("is asked at the other family at once where the first has never known it", async () => {
    const service = new Service();
    service.balances.current = (wallet) => (wallet === ESCROW ? undefined : 5_200_000);
    const world = await worldOf(
      service,
      `rules:\n  - {name: low, watch: ${watch([ESCROW])}, when: {metric: balance, below: 4M tokens}, notify: [slack]}\n`,
    );
    await world.minutes(1);
    expect(world.rounds.memory.rules[0]?.alerts[0]?.alert).toMatchObject({ missing: null });
    await world.minutes(3);
    expect(world.rounds.memory.rules[0]?.alerts[0]?.alert?.state).toBe("firing");
    // It is asked there from then on, and nowhere else.
    service.paths.length = 0;
    await world.minutes(3);
    expect(service.paths.map((url) => isEarlier({ url }))).toEqual([true, true, true]);
    await world.stop();
  });

  it("begins anew where an earlier version did not write down who answered", async () => {
    const service = new Service();
    const world = await worldOf(service, TWO_RULES, "current");
    const { source } = world;
    // As that version, which knew of no choice.
    const before: object = { ...source, ways: undefined };
    await world.stop();
    world.source = before as Source;
    await world.open();
    await world.minutes(40);
    const { url } = await service.open();
    await movedTo(world, `${world.service.baseUrl}`, url);
    await world.minutes(40);
    expect(tell(world).filter((line) => line.includes("moved"))).toEqual([]);
    expect(selfLines(world)).toEqual([]);
    await world.stop();
  });

  it.each(["one that knew who answers", "one that did not"])(
    "is compared with what %s measured before a restart, at one family",
    async (version) => {
      const service = new Service();
      const rule = `rules:\n  - {name: fall, watch: ${watch([TREASURY])}, when: {metric: balance, falls: 20%, within: 30m}, notify: [slack]}\n`;
      const world = await worldOf(service, rule, "current");
      const { source } = world;
      if (version === "one that did not") {
        const before: object = { ...source, ways: undefined };
        await world.stop();
        world.source = before as Source;
        await world.open();
      }
      await world.minutes(20);
      await world.stop();
      world.source = source;
      service.balances.current = () => 4_000_000;
      await world.open();
      await world.minutes(1);
      expect(tell(world)).toEqual(["21 fired fall"]);
      await world.stop();
    },
  );

  it("is not taken for moved when both fail for a while", async () => {
    const service = new Service();
    const world = await worldOf(service, TWO_RULES);
    await world.minutes(40);
    const [current, earlier] = [service.balances.current, service.balances.earlier];
    service.balances.current = service.balances.earlier = () => null;
    await world.minutes(22);
    Object.assign(service.balances, { current, earlier });
    await world.minutes(20);
    const rules = tell(world).filter(
      (line) => /fired|resolved|changed/.test(line) && !line.includes("low"),
    );
    expect(rules).toEqual([]);
    await world.stop();
  });
});
