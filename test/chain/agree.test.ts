import { afterEach, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import { askerOf } from "../simulator/asking.ts";
import { type ChainService, chainService } from "./support/chain-service.ts";

let served: ChainService;
const { ask } = askerOf(() => served.url);
afterEach(() => served.close());

const account = (n: number): string => `0x${n.toString(16).padStart(40, "0")}`;
const SUPPLY = `${ENDPOINTS.supply.path}?chain_id=1&token=${account(7)}`;
const BALANCE = `${ENDPOINTS.native_balance.path}?chain_id=1&wallet=${account(9)}`;
const CALL = `${ENDPOINTS.call.path}?chain_id=1&to=${account(7)}&function=${encodeURIComponent("totalSupply()(uint256)")}&args=${encodeURIComponent("[]")}&decimals=0`;

const word = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`;

/** A service from so many nodes of which two must agree; each of `lying` tells of another state. */
async function agreeing(nodes: number, ...lying: readonly number[]): Promise<void> {
  served = await chainService(nodes, 2);
  served.chain.view = () => word(1_000);
  served.chain.balance = () => 5n;
  for (const place of lying) {
    served.spoil[place] = ({ method }) => {
      if (method === "eth_call") return { result: word(1_001) };
      return method === "eth_getBalance" ? { result: "0x6" } : undefined;
    };
  }
}

const statusOf = async (path: string): Promise<number> => (await ask(path)).status;

it("uses what two nodes tell alike, and nothing that only one tells", async () => {
  await agreeing(2);
  expect((await ask(SUPPLY)).body).toMatchObject([{ total_supply: "1000" }]);
  expect((await ask(BALANCE)).body).toMatchObject([{ balance: "5" }]);
  expect(await statusOf(CALL)).toBe(200);
  await served.close();

  await agreeing(2, 1);
  for (const path of [SUPPLY, BALANCE, CALL]) expect(await statusOf(path)).toBe(503);
});

it("goes on with a third node where one of two does not answer, and stops without one", async () => {
  await agreeing(3);
  served.spoil[0] = () => ({ error: { code: -32_603, message: "out of order" } });
  expect((await ask(SUPPLY)).body).toMatchObject([{ total_supply: "1000" }]);
  served.spoil[1] = served.spoil[0];
  served.later();
  served.chain.mine({});
  expect(await statusOf(SUPPLY)).toBe(503);
});
