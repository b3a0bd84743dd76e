import { afterEach, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import { askerOf, fault } from "../simulator/asking.ts";
import { expectFields } from "../simulator/records.ts";
import { type ChainService, chainService } from "./support/chain-service.ts";

let served: ChainService;
const { ask, records } = askerOf(() => served.url);

afterEach(() => served.close());

const account = (n: number): string => `0x${n.toString(16).padStart(40, "0")}`;
const balances = (...accounts: readonly string[]): string =>
  `${ENDPOINTS.native_balance.path}?chain_id=1${accounts.map((one) => `&wallet=${one}`).join("")}`;

it("answers balances of the chain's own currency in one batch at one block, exact to the wei", async () => {
  served = await chainService();
  const most = 2n ** 256n - 1n;
  served.chain.balance = (who, block) => (who === account(7) ? most : BigInt(block.number));
  const asked = [account(0xab).toUpperCase().replace("0X", "0x"), account(7), account(9)];
  const answer = await records(balances(...asked));
  for (const one of answer) expectFields(one, ENDPOINTS.native_balance.fields);
  expect(answer.map(({ balance, wallet_address: who }) => [who, balance])).toEqual([
    [account(0xab), "120"],
    [account(7), most.toString()],
    [account(9), "120"],
  ]);
  expect(served.calls[0]?.get("eth_getBalance")).toBe(3);

  served.chain.mine({});
  served.later();
  const [next] = await records(balances(account(9)));
  expect(next?.balance).toBe("121");
});

it.each([
  ["null", null],
  ["no number", "many"],
  ["nothing", "0x"],
  ["more than a word", `0x1${"0".repeat(64)}`],
  ["a number of JSON", 12],
])(
  "asks the next node where one answers a balance with %s, and refuses without one",
  async (_, result) => {
    served = await chainService(2);
    served.chain.balance = () => 5n;
    served.spoil[0] = ({ method }) => (method === "eth_getBalance" ? { result } : undefined);
    const [one] = await records(balances(account(1)));
    expect(one?.balance).toBe("5");
    served.spoil[1] = served.spoil[0];
    served.later();
    served.chain.mine({});
    expect(fault(await ask(balances(account(1))))).toBe("503 chain_unavailable");
  },
);

it("refuses a chain without a node, and what is no address", async () => {
  served = await chainService();
  const path = balances(account(1));
  expect(fault(await ask(path.replace("chain_id=1", "chain_id=2")))).toBe("400 unsupported_chain");
  expect(fault(await ask(balances("0x12")))).toBe("400 bad_value");
});
