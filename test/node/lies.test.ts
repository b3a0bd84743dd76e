import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS, type EndpointName } from "../../src/api/endpoints.ts";
import { Secret } from "../../src/base/text.ts";
import { DEMO_KEY } from "../../src/serve/server.ts";
import { askerOf } from "../simulator/asking.ts";
import { Anvil } from "./support/anvil.ts";
import { type Fault, KEY, SpoilingNode } from "./support/proxy.ts";
import { Uniswap } from "./support/uniswap.ts";
import { ACCOUNT, BlockClock, serveNode } from "./support/world.ts";

const CHAIN = 31_337;
const L = 10n ** 21n;

let anvil: Anvil;
let uniswap: Uniswap;
let clock: BlockClock;
let node: SpoilingNode;
let folder: string;
let questions: readonly (readonly [EndpointName, string])[];
let truth: ReadonlyMap<string, unknown>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-lies-"));
  anvil = await Anvil.start();
  uniswap = await Uniswap.deploy(anvil);
  node = await SpoilingNode.before(anvil.url);
  const key = uniswap.key();
  const id = await uniswap.createPool(key);
  const nft = await uniswap.mint(key, -6_000, 6_000, L);
  const v3 = await uniswap.createV3Pool(3_000);
  const v3Nft = await uniswap.mintV3(3_000, -6_000, 6_000, L);
  await uniswap.swap(key, true, 10n ** 18n);
  clock = new BlockClock(uniswap);
  await clock.follow();
  const [token, other] = [uniswap.token0, uniswap.token1];
  const [now, before] = [`chain_id=${CHAIN}`, `chainid=${CHAIN}`];
  const call = encodeURIComponent("totalSupply()(uint256)");
  questions = [
    ["v4_pool", `${now}&pool_ids=${id}`],
    ["v4_position", `${now}&protocol=dexa&nft_ids=${nft}`],
    ["supply", `${now}&token=${token}&token=${other}`],
    ["balance", `${now}&token=${token}&wallet=${ACCOUNT}`],
    ["legacy_v4_pool", `${before}&poolid=${id}`],
    ["v3_pool", `${before}&address=${v3}`],
    ["legacy_balances", `${before}&address=${token}&wallets=${ACCOUNT},${v3}`],
    ["legacy_token_info", `${before}&address=${token}`],
    ["legacy_token_price", `${before}&address=${token}`],
    // Beyond the specification.
    ["native_balance", `${now}&wallet=${ACCOUNT}`],
    ["allowance", `${now}&owner=${ACCOUNT}&spender=${v3}&token=${token}`],
    ["gas_now", `${now}&blocks=3`],
    ["call", `${now}&to=${token}&function=${call}&args=${encodeURIComponent("[]")}&decimals=0`],
    ["v3_position", `${now}&nft_ids=${v3Nft}`],
    ["v4_fees", `${now}&protocol=dexa&nft_ids=${nft}`],
    ["v3_owned", `${now}&wallet=${ACCOUNT}`],
  ];
  truth = await answers();
});
afterAll(async () => {
  await node?.close();
  await anvil?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** What each endpoint answers; what is refused is a number. Nobody is told the node's URL. */
async function answers(): Promise<ReadonlyMap<string, unknown>> {
  const served = await serveNode(uniswap, clock, {
    urls: [new Secret(node.url)],
    requestsPerSecond: 10_000,
    timeoutMs: 1_000,
  });
  const { ask } = askerOf(() => served.service.baseUrl);
  const found = await Promise.all(
    questions.map(async ([name, query]) => {
      const { path, family } = ENDPOINTS[name];
      const key = family === "earlier" ? `&apikey=${DEMO_KEY}` : "";
      const { status, body } = await ask(`${path}?${query}${key}`);
      expect(JSON.stringify(body)).not.toContain(KEY);
      return [name, status === 200 ? body : status] as const;
    }),
  );
  await served.close();
  expect(served.reports.join()).not.toContain(KEY);
  return new Map(found);
}

/** What is not what it was at the last look, though nothing has happened, is of the look; so is why there is nothing. */
const OF_THE_LOOK = new Set(["block_number", "timestamp", "last_updated", "problem"]);

/** The places in an answer where it says something else than the truth; to say nothing is not wrong. */
function wrong(said: unknown, right: unknown, place: string): readonly string[] {
  if (said === null || (typeof said === "number" && place.indexOf(".") === -1)) return [];
  if (Array.isArray(said)) {
    const known = new Map(listed(right).map((one) => [identity(one), one]));
    return said.flatMap((one) => wrong(one, known.get(identity(one)), `${place}.${identity(one)}`));
  }
  if (typeof said === "object") {
    return Object.entries(said).flatMap(([field, value]) =>
      OF_THE_LOOK.has(field)
        ? []
        : wrong(
            value,
            (right as Record<string, unknown> | undefined)?.[field],
            `${place}.${field}`,
          ),
    );
  }
  return said === right ? [] : [`${place}: ${String(said)}, not ${String(right)}`];
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function identity(one: unknown): string {
  const {
    token_address: token = "",
    nft_id: nft = "",
    wallet_address: wallet = "",
  } = (one ?? {}) as Record<string, string>;
  return `${token}${nft}${wallet}`;
}

async function lies(): Promise<readonly string[]> {
  const said = await answers();
  return [...said].flatMap(([name, answer]) => {
    const known = truth.get(name);
    // What an owner no longer holds has left.
    const lacks =
      name === "v3_owned" && Array.isArray(answer) && answer.length !== listed(known).length;
    return lacks ? ["positions have left"] : wrong(answer, known, name);
  });
}

const METHODS = [
  "eth_chainId",
  "eth_getBlockByNumber",
  "eth_getBlockByHash",
  "eth_call",
  "eth_getBalance",
  "eth_getCode",
  "eth_getLogs",
];
const RESULTS: readonly (readonly [string, unknown])[] = [
  ["null", null],
  ["an empty text", ""],
  ["no data", "0x"],
  ["a negative number", "-0x1"],
  ["a minus behind the prefix", "0x-1"],
  ["a number of JSON", 7],
  ["a huge number", `0x${"f".repeat(80)}`],
  ["a word of ones", `0x${"f".repeat(63)}`],
  ["half a byte", "0xabc"],
  ["no hexadecimal digits", "0xzz"],
  ["a list", [null]],
  ["an object", { number: "0x-1", hash: 5, logs: {} }],
  ["a list of lists", [[[]]]],
  ["yes", true],
];

describe("a node that lies is never believed", () => {
  /** Well-formed quantities, of which nobody can see that they are wrong. */
  const GOOD = new Set(["a word of ones", "half a byte"]);
  const CASES = METHODS.flatMap((method) =>
    RESULTS.filter(([words]) => method !== "eth_getBalance" || !GOOD.has(words)).map(
      ([words, result]) => [method, words, result] as const,
    ),
  );
  it.each(CASES)("%s: %s", async (method, _, result) => {
    node.lie = (asked) => (asked === method ? result : undefined);
    expect(await lies()).toEqual([]);
  });

  it("if it gives ten megabytes where a word is due", async () => {
    const much = `0x${"00".repeat(5_000_000)}`;
    node.lie = (asked) => (asked === "eth_call" ? much : undefined);
    expect(await lies()).toEqual([]);
  });

  it.each<Fault>(["limits", "page", "cuts", "quota", "echoes", "wrong ids", "other chain", "down"])(
    "nor one that fails: %s",
    async (fault) => {
      node.lie = () => undefined;
      node.fault = fault;
      const said = await answers();
      node.fault = "none";
      expect([...said.values()].filter((answer) => answer !== 503)).toEqual([]);
    },
  );

  it("and all is well again afterwards", async () => {
    node.lie = () => undefined;
    const said = await answers();
    expect([...said].filter(([, answer]) => typeof answer === "number")).toEqual([]);
    expect(await lies()).toEqual([]);
  });
});
