import { describe, expect, it } from "vitest";
import type { Answer, Ask } from "../../src/model/index.ts";
import { failed, MINUTE, ok, poolRecord, START, World } from "../support/world.ts";

const HOUR = 60 * MINUTE;
const TOKEN = `0x${"a0".repeat(20)}`;
const WALLET = `0x${"11".repeat(20)}`;
const SUPPLY = `  - {name: supply, watch: {kind: token_supply, chain: 1, token: "${TOKEN}"}, when: {metric: total_supply, above: 300 tokens}}\n`;
const BALANCE = `  - {name: balance, watch: {kind: token_balance, chain: 1, token: "${TOKEN}", wallet: "${WALLET}"}, when: {metric: balance, above: 300 tokens}}\n`;

const of = { token_address: TOKEN, chain_id: 1 };
const RAW = "400000000";

function good({ record }: Ask): Answer {
  if (record === "token_info") return ok({ ...of, symbol: "T", decimals: 6 });
  if (record === "balance") return ok({ ...of, wallet_address: WALLET, balance: RAW });
  return ok({ ...of, total_supply: RAW });
}

const refused: Answer = {
  status: "failed",
  failure: { reason: "refused", detail: "answered 404" },
};

const infosIn = ({ asked }: World): number =>
  asked.filter((key) => key.startsWith("token_info")).length;

describe("what holds for good", () => {
  it("is asked for in the first round alone, by whatever rules of whatever groups", async () => {
    const world = await World.create(`rules:\n${SUPPLY}${BALANCE}`, { answer: good });
    await world.run(MINUTE);
    expect(world.rounds.memory.rules.map(({ group }) => group)).toEqual([0, 1]);
    const first = infosIn(world);
    await world.run(5 * MINUTE);
    expect(infosIn(world)).toBe(first);
    expect(world.told.filter(({ kind }) => kind === "fired")).toHaveLength(2);
    await world.stop();
  });

  it("is known in later rounds as well where several things are asked for", async () => {
    const world = await World.create(
      `rules:\n  - {name: whale, watch: {kind: holders, chain: 1, token: "${TOKEN}"}, when: {metric: largest_balance, above: 300 tokens}}\n`,
    );
    let balance = "100000000";
    world.answer = (ask) =>
      ask.record === "holder" ? ok({ ...of, wallet_address: WALLET, balance }) : good(ask);
    await world.run(2 * MINUTE);
    balance = RAW;
    await world.run(MINUTE);
    expect(world.story()).toEqual(["3 fired"]);
    expect(infosIn(world)).toBe(1);
    await world.stop();
  });

  it("is asked for again once a service is back that refused everything", async () => {
    const world = await World.create(`rules:\n${SUPPLY}${BALANCE}`);
    world.answer = (ask, date) => (date < START + 10 * MINUTE ? refused : good(ask));
    await world.run(15 * MINUTE);
    expect(world.story()).toEqual(["5 source_down", "10 fired", "10 fired", "10 source_up"]);
    await world.stop();
  });

  const refusedInfo = (ask: Ask, isOver: boolean): Answer =>
    ask.record === "token_info" && !isOver ? refused : good(ask);

  it("is asked for again once an outage is over in which it was refused", async () => {
    const pool = `  - {name: pool, watch: {kind: v4_pool, chain: 1, pools: ["0x${"ab".repeat(32)}"]}, when: {metric: tvl_usd, below: 1}}\n`;
    const world = await World.create(`rules:\n${SUPPLY}${pool}`);
    world.answer = (ask, date) => {
      const isOver = date >= START + 10 * MINUTE;
      if (ask.record === "v4_pool") return isOver ? ok(poolRecord()) : failed;
      return refusedInfo(ask, isOver);
    };
    await world.run(12 * MINUTE);
    expect(world.story().toSorted()).toEqual([
      "10 source_up",
      "11 data_back",
      "11 fired",
      "5 no_data",
      "5 source_down",
    ]);
    await world.stop();
  });

  it("is asked for again on the next day, if it alone was refused", async () => {
    const world = await World.create(`rules:\n${SUPPLY}`);
    world.answer = (ask, date) => refusedInfo(ask, date >= START + 10 * MINUTE);
    await world.run(12 * HOUR + 2 * MINUTE);
    expect(infosIn(world)).toBe(2);
    expect(world.story()).toEqual(["5 no_data", "721 data_back", "721 fired"]);
    await world.stop();
  });
});
