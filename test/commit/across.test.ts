import { describe, expect, it } from "vitest";
import type { Answer, Ask } from "../../src/model/index.ts";
import { absent, failed, MINUTE, ok, START, World } from "../support/world.ts";

const TOKEN = "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a";
const rule = (chains: string, when: string, more = ""): string => `
rules:
  - name: net-mint
    watch: {kind: token_supply, chain: [${chains}], token: ${TOKEN}, decimals: 6}
    across: sum
    when: {metric: total_supply, ${when}}
${more}`;

const MILLION = 10n ** 12n;

/** Supplies in raw units by chain; a chain that is not there fails. */
function supplies(
  byMinute: (minute: number) => Readonly<Record<number, bigint | Answer>>,
): (ask: Ask, date: number) => Answer {
  return (ask, date) => {
    const supply = byMinute(Math.round((date - START) / MINUTE))[ask.chainId];
    if (supply === undefined) return failed;
    if (typeof supply !== "bigint") return supply;
    return ok({
      token_address: TOKEN.toLowerCase(),
      chain_id: ask.chainId,
      total_supply: supply.toString(),
    });
  };
}

describe("a rule across several chains", () => {
  it("is one alert on the sum, exact to the last unit", async () => {
    const limit = 3n * MILLION;
    const world = await World.create(rule("1, 137, 143", "at_least: 3_000_000 tokens"));
    expect(world.rounds.memory.watched).toBe(3);
    world.answer = supplies((minute) => ({
      1: MILLION,
      137: MILLION,
      143: minute < 3 ? limit - 2n * MILLION - 1n : MILLION,
    }));
    await world.minutes(3);
    expect(world.story()).toEqual(["3 fired"]);
    expect(world.requests).toBe(3);
    await world.stop();
  });

  it("moving tokens from chain to chain is no mint", async () => {
    const world = await World.create(rule("1, 137", "moves: 1M tokens, within: 10m"));
    world.answer = supplies((minute) => ({
      1: 10n * MILLION - BigInt(minute) * MILLION,
      137: 10n * MILLION + BigInt(minute) * MILLION,
    }));
    await world.minutes(8);
    expect(world.story()).toEqual([]);
    await world.stop();
  });

  it.each([
    ["fails", failed],
    ["is missing from the answer", absent],
    ["has a null", ok({ token_address: TOKEN.toLowerCase(), chain_id: 137, total_supply: null })],
    ["is negative", ok({ token_address: TOKEN.toLowerCase(), chain_id: 137, total_supply: "-1" })],
  ])("a chain that %s never looks like a fall, nor its return like a rise", async (_, answer) => {
    const world = await World.create(rule("1, 137", "moves: 1 tokens, within: 10m"));
    world.answer = supplies((minute) => ({
      1: 10n * MILLION,
      137: minute >= 5 && minute <= 7 ? answer : 10n * MILLION,
    }));
    await world.minutes(12);
    expect(world.story()).toEqual([]);
    await world.stop();
  });

  it("says no data when a chain stays away, and that it is back", async () => {
    const world = await World.create(rule("1, 137", "below: 5M tokens"));
    world.answer = supplies((minute) =>
      minute > 3 && minute <= 12 ? { 1: 10n * MILLION } : { 1: 10n * MILLION, 137: 10n * MILLION },
    );
    await world.minutes(14);
    expect(world.story()).toEqual(["8 no_data", "13 data_back"]);
    expect(world.told[1]?.notice.headline).toMatch(/Two chains$/);
    expect(world.told[1]?.notice.fields).toContainEqual({ name: "Chain", value: "two chains" });
    expect(world.told[1]?.notice.fields.map(({ value }) => value).join(" ")).toContain("Polygon");
    await world.stop();
  });

  it("another set of chains starts anew: adding one is not a mint", async () => {
    const when = "moves: 1M tokens, since: last";
    const world = await World.create(rule("1, 137", when));
    world.answer = supplies(() => ({ 1: 10n * MILLION, 137: 10n * MILLION, 143: 10n * MILLION }));
    await world.minutes(5);
    await world.restart(rule("1, 137, 143", when));
    await world.minutes(5);
    expect(world.told.map(({ minute, kind }) => `${minute} ${kind}`)).toEqual([
      "1 started",
      "5 started",
    ]);
    await world.stop();
  });

  it("least and greatest are those of the chains", async () => {
    const yaml = rule("1, 137", "below: 5M tokens").replace("across: sum", "across: min");
    const world = await World.create(yaml);
    world.answer = supplies((minute) => ({
      1: 10n * MILLION,
      137: minute < 3 ? 6n * MILLION : 4n * MILLION,
    }));
    await world.minutes(4);
    expect(world.story()).toEqual(["3 fired"]);
    await world.stop();
  });

  it("shares its requests with a rule that watches one of its chains alone", async () => {
    const alone = `
  - name: alone
    watch: {kind: token_supply, chain: 137, token: ${TOKEN}, decimals: 6}
    when: {metric: total_supply, below: 5M tokens}
`;
    const world = await World.create(rule("1, 137", "below: 1M tokens", alone));
    world.answer = supplies((minute) => ({
      1: 10n * MILLION,
      137: minute < 3 ? 6n * MILLION : 4n * MILLION,
    }));
    await world.minutes(3);
    expect(world.story()).toEqual(["3 fired"]);
    expect(world.asked).toHaveLength(6);
    await world.stop();
  });
});
