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

const allowances = (owner: string, spender: string, ...tokens: readonly string[]): string =>
  `${ENDPOINTS.allowance.path}?chain_id=1&owner=${owner}&spender=${spender}${tokens.map((one) => `&token=${one}`).join("")}`;

it("answers allowances of many tokens, exact, and leaves out what is no token", async () => {
  served = await chainService();
  const most = 2n ** 256n - 1n;
  const data = `0xdd62ed3e${account(1).slice(2).padStart(64, "0")}${account(2).slice(2).padStart(64, "0")}`;
  served.chain.view = (to, asked) => {
    if (asked !== data) return "0x";
    if (to === account(7)) return `0x${most.toString(16)}`;
    return to === account(8) ? `0x${"0".repeat(64)}` : "0x";
  };
  const path = allowances(account(1), account(2), account(7), account(8), account(9));
  const answer = await records(path);
  for (const one of answer) expectFields(one, ENDPOINTS.allowance.fields);
  expect(answer.map(({ token_address: token, allowance }) => [token, allowance])).toEqual([
    [account(7), most.toString()],
    [account(8), "0"],
  ]);
  expect(answer[0]).toMatchObject({ owner_address: account(1), spender_address: account(2) });
});

it.each(["0x", "0x12", "0xzz", null, 5, `0x${"0".repeat(62)}`])(
  "never takes %j for an allowance",
  async (result) => {
    served = await chainService();
    served.spoil[0] = ({ method }) => (method === "eth_call" ? { result } : undefined);
    const { status, body } = await ask(allowances(account(1), account(2), account(7)));
    if (status === 200) expect(body).toEqual([]);
    else expect(status).toBe(503);
  },
);

const gasNow = (blocks: number): string => `${ENDPOINTS.gas_now.path}?chain_id=1&blocks=${blocks}`;
const gwei = (amount: number): string => `0x${(BigInt(amount) * 10n ** 9n).toString(16)}`;
/** A transaction that bids a tip above the chain's base fee of 1 gwei. */
const tip = (amount: number) => ({ gasPrice: gwei(amount + 1) });

it("answers base fee and mean tips of the last blocks, and reads each block once", async () => {
  served = await chainService();
  const { chain, calls } = served;
  // Ten bids: the top 5% and the top 10% are one each; then twenty, of which 10% are two.
  chain.mine({ transactions: Array.from({ length: 10 }, (_, i) => tip(i)) });
  chain.mine({ transactions: Array.from({ length: 20 }, (_, i) => tip(i)) });
  chain.mine({});
  const { body } = await ask(gasNow(3));
  expectFields(body, ENDPOINTS.gas_now.fields);
  expect(body).toEqual({
    chain_id: 1,
    blocks: 3,
    block_number: "123",
    timestamp: String(chain.head.time),
    base_fee: "1000000000",
    tip_top5: "14000000000",
    tip_top10: "13500000000",
  });
  expect(calls[0]?.get("eth_getBlockByHash")).toBe(3);
  chain.mine({ transactions: [tip(7)] });
  served.later();
  const next = await ask(gasNow(3));
  expect(next.body).toMatchObject({ block_number: "124", tip_top10: "12500000000" });
  expect(calls[0]?.get("eth_getBlockByHash")).toBe(4);
});

it("knows no tips where nobody bids, and follows a reorg", async () => {
  served = await chainService();
  const { chain } = served;
  expect((await ask(gasNow(2))).body).toMatchObject({ tip_top5: null, tip_top10: null });
  chain.mine({ transactions: [tip(50)] });
  chain.mine({ transactions: [tip(50)] });
  served.later();
  expect((await ask(gasNow(2))).body).toMatchObject({ tip_top10: "50000000000" });
  chain.reorg(2);
  for (let n = 0; n < 2; n += 1) chain.mine({ transactions: [tip(2)], after: 13 });
  served.later();
  expect((await ask(gasNow(2))).body).toMatchObject({ tip_top10: "2000000000" });
});

it.each([
  ["another block", (truth: object) => ({ ...truth, hash: `0x${"9".repeat(64)}` })],
  ["no prices", (truth: object) => ({ ...truth, transactions: [{ gasPrice: "much" }] })],
  ["transactions that are none", (truth: object) => ({ ...truth, transactions: [null] })],
  ["hashes in place of transactions", (truth: object) => ({ ...truth, transactions: ["0x12"] })],
  ["nothing", () => null],
])("gives no gas of a node that answers with %s", async (_, spoilt) => {
  served = await chainService();
  served.chain.mine({ transactions: [tip(3)] });
  served.spoil[0] = ({ method }, truth) =>
    method === "eth_getBlockByHash" ? { result: spoilt(truth as object) } : undefined;
  expect(fault(await ask(gasNow(1)))).toBe("503 chain_unavailable");
});

it("bounds how many blocks are asked for", async () => {
  served = await chainService();
  expect(fault(await ask(gasNow(0)))).toBe("400 bad_value");
  expect(fault(await ask(gasNow(21)))).toBe("400 bad_value");
});

const callOf = (
  to: string,
  called: string,
  args: readonly unknown[] = [],
  decimals = 0,
): string => {
  const query = new URLSearchParams({ chain_id: "1", to, function: called });
  query.append("args", JSON.stringify(args));
  query.append("decimals", String(decimals));
  return `${ENDPOINTS.call.path}?${query.toString()}`;
};
const word = (value: bigint): string => BigInt.asUintN(256, value).toString(16).padStart(64, "0");

it("answers what a function gives, each result by its place, exact with its decimals", async () => {
  served = await chainService();
  const asked: string[] = [];
  served.chain.view = (to, data) => {
    asked.push(`${to} ${data}`);
    return `0x${word(7n)}${word(-150_000_000_001n)}${word(1n)}${word(0xabn)}`;
  };
  const { body } = await ask(
    callOf(
      account(5),
      "latest( uint8, address )( uint80,int256,bool,address)",
      ["2", account(3)],
      8,
    ),
  );
  expect(new Set(Object.keys(body as object))).toEqual(new Set(Object.keys(ENDPOINTS.call.fields)));
  expect(body).toMatchObject({
    contract_address: account(5),
    problem: null,
    value: null,
    value0: "0.00000007",
    value1: "-1500.00000001",
    flag2: true,
    value3: null,
    flag3: null,
  });
  expect(asked).toHaveLength(1);
  expect(asked[0]?.startsWith(`${account(5)} 0x`)).toBe(true);
  expect(asked[0]?.slice(53)).toBe(word(2n) + word(3n));
});

it.each([
  ["uint256", "0x", "there is no contract at this address, or it does not have this function"],
  ["uint256", `0x${word(1n)}${word(2n)}`, "the answer has 64 bytes, and the function says 32"],
  ["uint256", `0x${word(1n)}00`, "the answer has 33 bytes, and the function says 32"],
  ["uint256,uint256", `0x${word(1n)}`, "the answer has 32 bytes, and the function says 64"],
  ["uint8", `0x${word(256n)}`, "result 0 is not of type uint8"],
  ["int8", `0x${word(128n)}`, "result 0 is not of type int8"],
  ["int8", `0x${word(-129n)}`, "result 0 is not of type int8"],
  ["bool", `0x${word(2n)}`, "result 0 is not of type bool"],
  ["bool,address", `0x${word(1n)}${word(1n << 160n)}`, "result 1 is not of type address"],
  ["bool,bytes4", `0x${word(1n)}${word(1n)}`, "result 1 is not of type bytes4"],
])("gives no value of a function of (%s) that answers %s", async (types, answer, problem) => {
  served = await chainService();
  served.chain.view = () => answer;
  const { status, body } = await ask(callOf(account(5), `f()(${types})`));
  expect([status, body]).toMatchObject([
    200,
    { problem, value: null, value0: null, flag: null, flag0: null },
  ]);
});

it.each([
  [3, "execution reverted: no price", "execution reverted: no price (3)"],
  [-32_603, "EVM error OutOfGas", "EVM error OutOfGas (-32603)"],
  [-32_000, "execution aborted", "execution aborted (-32000)"],
  [-32_000, "out of gas", "out of gas (-32000)"],
])("says why a call fails (%i %s), which spoils nothing else", async (code, message, problem) => {
  served = await chainService();
  served.chain.balance = () => 5n;
  served.chain.view = () => `0x${word(1n)}`;
  served.spoil[0] = ({ method, params }) => {
    const [call] = params as [{ to?: string } | undefined];
    return method === "eth_call" && call?.to === account(6)
      ? { error: { code, message } }
      : undefined;
  };
  const [failing, good, [balance], [allowance]] = await Promise.all([
    ask(callOf(account(6), "f()(uint256)")),
    ask(callOf(account(5), "f()(uint256)")),
    records(balances(account(1))),
    records(allowances(account(1), account(2), account(5))),
  ]);
  expect(failing.body).toMatchObject({ problem: `the call fails: ${problem}`, value: null });
  expect(good.body).toMatchObject({ problem: null, value: "1" });
  expect([balance?.balance, allowance?.allowance]).toEqual(["5", "1"]);
});

it.each([
  ["null", null],
  ["no data", "0xz"],
  ["a number", 5],
])("asks another node for a call that one answers with %s", async (_, result) => {
  served = await chainService(2);
  served.chain.view = () => `0x${word(1n)}`;
  served.spoil[0] = ({ method }) => (method === "eth_call" ? { result } : undefined);
  expect((await ask(callOf(account(5), "f()(uint256)"))).body).toMatchObject({ value: "1" });
});

it.each([
  ["f()", "[]"],
  ["f()(string)", "[]"],
  ["f(uint8)(uint8)", "[]"],
  ["f(uint8)(uint8)", '["256"]'],
  ["f(uint8)(uint8)", "[1]"],
  ["f()(uint8)", "{}"],
  ["f()(uint8)", "not json"],
])("refuses %s with %s", async (called, args) => {
  served = await chainService();
  const query = new URLSearchParams({ chain_id: "1", to: account(5), function: called, args });
  expect(fault(await ask(`${ENDPOINTS.call.path}?${query.toString()}`))).toBe("400 bad_value");
});

it("refuses a chain without a node, and what is no address", async () => {
  served = await chainService();
  const path = balances(account(1));
  expect(fault(await ask(path.replace("chain_id=1", "chain_id=2")))).toBe("400 unsupported_chain");
  expect(fault(await ask(balances("0x12")))).toBe("400 bad_value");
});
