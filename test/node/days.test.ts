import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import { DEMO_KEY } from "../../src/serve/server.ts";
import { askerOf } from "../simulator/asking.ts";
import { expectFields } from "../simulator/records.ts";
import { Anvil } from "./support/anvil.ts";
import * as artifacts from "./support/artifacts.ts";
import { Uniswap } from "./support/uniswap.ts";
import { BlockClock, type NodeService, serveNode } from "./support/world.ts";

const CHAIN = 31_337;
const DAY = 86_400;
const WALLET = "0x00000000000000000000000000000000000000bb";
const DAYS = 6;

let anvil: Anvil;
let uniswap: Uniswap;
let clock: BlockClock;
let served: NodeService;
/** The day's name and the wallet's balance at its last block, from the oldest on. */
const story: { date: string; balance: bigint; supply: bigint }[] = [];
const { records, ask } = askerOf(() => served.service.baseUrl);

async function timeNow(): Promise<number> {
  const block = await anvil.rpc<{ timestamp: string }>("eth_getBlockByNumber", ["latest", false]);
  return Number(block.timestamp);
}

beforeAll(async () => {
  anvil = await Anvil.start();
  uniswap = await Uniswap.deploy(anvil);
  // From the beginning of the next day on, so that each day has its own blocks.
  const begin = (Math.floor((await timeNow()) / DAY) + 1) * DAY;
  let balance = 0n;
  for (let day = 0; day < DAYS; day += 1) {
    for (const [part, amount] of [
      [0.1, 7n],
      [0.99, 100n * BigInt(day + 1)],
    ] as const) {
      await anvil.rpc("evm_setNextBlockTimestamp", [Math.floor(begin + (day + part) * DAY)]);
      await anvil.write(uniswap.token0, artifacts.TOKEN.abi, "mint", [WALLET, amount]);
      balance += amount;
    }
    const supply = await anvil.rpc<string>("eth_call", [
      { to: uniswap.token0, data: "0x18160ddd" },
      "latest",
    ]);
    const date = new Date((begin + day * DAY) * 1_000).toISOString().slice(0, 10);
    story.push({ date, balance, supply: BigInt(supply) });
  }
  clock = new BlockClock(uniswap);
  await clock.follow();
  served = await serveNode(uniswap, clock);
});
afterAll(async () => {
  await served?.close();
  await anvil?.stop();
});

describe("daily histories from an archive", () => {
  it("have each day's last supply and balance", async () => {
    const range = `from=${story[0]?.date}&to=${story.at(-1)?.date}`;
    const token = `chain_id=${CHAIN}&token=${uniswap.token0}&${range}`;
    const supplies = await records(`${ENDPOINTS.supply_history.path}?${token}`);
    expect(supplies).toEqual(
      story.map(({ date, supply }) => ({ date, total_supply: supply.toString() })),
    );
    const balances = await records(`${ENDPOINTS.balance_history.path}?${token}&wallet=${WALLET}`);
    expect(balances).toEqual(
      story.map(({ date, balance }) => ({ date, balance: balance.toString() })),
    );
    for (const one of balances) expectFields(one, ENDPOINTS.balance_history.fields);
  });

  it("begin with the newest day in the earlier family, each with its change", async () => {
    const query = `chainid=${CHAIN}&address=${uniswap.token0}&wallet=${WALLET}&limit=3&apikey=${DEMO_KEY}`;
    const { body } = await ask(`${ENDPOINTS.legacy_balance_history.path}?${query}`);
    expectFields(body, ENDPOINTS.legacy_balance_history.fields);
    const points = (body as { historical_balances: Record<string, unknown>[] }).historical_balances;
    const newest = story.toReversed().slice(0, 3);
    expect(points.map((point) => point.balance)).toEqual(
      newest.map(({ balance }) => balance.toString()),
    );
    expect(points.map((point) => point.balance_change)).toEqual(["+607", "+507", "+407"]);
  });

  it("leave out the days before the chain began", async () => {
    const begin = Date.parse(`${story[0]?.date}T00:00:00Z`) - 30 * DAY * 1_000;
    const from = new Date(begin).toISOString().slice(0, 10);
    const query = `chain_id=${CHAIN}&token=${uniswap.token0}&from=${from}&to=${story[1]?.date}`;
    const supplies = await records(`${ENDPOINTS.supply_history.path}?${query}`);
    expect(supplies.slice(-2).map(({ date }) => date)).toEqual([story[0]?.date, story[1]?.date]);
    expect(supplies.length).toBeLessThan(6);
  });
});
