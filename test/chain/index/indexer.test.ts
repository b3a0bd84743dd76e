import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { SELECTORS } from "../../../src/chain/codec/calls.ts";
import { TOPICS } from "../../../src/chain/codec/events.ts";
import { keccakOfText, wordOf } from "../../../src/chain/codec/words.ts";
import { ProgressReckoning } from "../../../src/chain/index/progress.ts";
import { WHOLE } from "../../support/tier.ts";
import { FakeChain, type MinedBlock, type Spoil, serveChain } from "../support/fake-chain.ts";
import {
  NOBODY,
  nftTransfer,
  transfer,
  v3Flow,
  v3Swap,
  v4Liquidity,
  v4Swap,
  wallet,
} from "../support/fake-logs.ts";
import {
  contents,
  type Indexing,
  indexing,
  POSITION_MANAGER,
  TOKEN,
  V3_POOL,
  V4_POOL,
} from "../support/indexing.ts";

const START = 1_764_547_200;
const SWAP = { amount0: 10n, amount1: -20n, sqrtPriceX96: 1n << 96n, tick: 0 };
const BID = { maxFeePerGas: "0x77359400", maxPriorityFeePerGas: "0x5f5e100" };

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const OWNER = wallet(50);
const NFT = 777n;

/** Positions that come to the owner, go from it, and are somebody else's. */
function moves(k: number) {
  const id = BigInt(k % 40);
  return [
    k % 2 === 0 ? nftTransfer(NOBODY, OWNER, id) : nftTransfer(OWNER, wallet(51), id),
    nftTransfer(wallet(52), wallet(53), id + 100n),
  ];
}

/** The n-th block of a busy chain; `seed` makes another one of it. */
function busy(n: number, seed = 0): MinedBlock {
  const k = n * 7 + seed * 13;
  return {
    logs: [
      ...(n === 1 ? [transfer(NOBODY, wallet(0), 1_000_000n)] : []),
      ...(n > 1 && k % 3 === 0 ? [transfer(wallet(0), wallet(k % 30), BigInt(10 + (k % 5)))] : []),
      ...(n > 1 && k % 29 === 0 ? [transfer(wallet(0), NOBODY, 1n)] : []),
      ...(k % 11 === 0 ? [v3Swap(SWAP)] : []),
      ...(k % 5 === 0 ? [v4Swap(SWAP), v4Liquidity(5n, -60, 60, 7)] : []),
      ...(k % 13 === 0 ? moves(k) : []),
      ...(k % 17 === 0 ? [v3Flow("v3Increase", NFT, [BigInt(k), 7n])] : []),
      ...(k % 19 === 0 ? [v3Flow("v3Collect", NFT, [3n, BigInt(k)])] : []),
    ],
    transactions: k % 4 === 0 ? [] : [BID],
  };
}

/** The fake token's contract as the sum of the chain's transfers up to a block, reckoned apart. */
function withToken(chain: FakeChain): FakeChain {
  const given = new Map<string, Map<string, bigint>>();
  const balances = (hash: string): Map<string, bigint> => {
    const known = given.get(hash);
    if (known !== undefined) return known;
    const sums = new Map<string, bigint>();
    const last = chain.blocks.findIndex((block) => block.hash === hash);
    for (const { logs } of chain.blocks.slice(0, last + 1)) {
      for (const { address, topics, data } of logs) {
        if (address !== TOKEN) continue;
        const [from, to] = topics.slice(1).map((topic) => `0x${topic.slice(26)}`);
        sums.set(from ?? "", (sums.get(from ?? "") ?? 0n) - BigInt(data));
        sums.set(to ?? "", (sums.get(to ?? "") ?? 0n) + BigInt(data));
      }
    }
    given.set(hash, sums);
    return sums;
  };
  chain.view = (_to, data, { hash }) => {
    const sums = balances(hash);
    if (data === SELECTORS.totalSupply) return `0x${wordOf(-(sums.get(NOBODY) ?? 0n))}`;
    return `0x${wordOf(sums.get(`0x${data.slice(-40)}`) ?? 0n)}`;
  };
  return chain;
}

function busyChain(blocks: number): FakeChain {
  const chain = withToken(new FakeChain(START));
  for (let n = 1; n <= blocks; n += 1) chain.mine(busy(n));
  return chain;
}

async function serve(chain: FakeChain, spoil?: Spoil) {
  const node = await serveChain(() => chain, spoil);
  open.push(node.close);
  return node;
}

async function begin(urls: readonly string[], path?: string): Promise<Indexing> {
  const one = await indexing(urls, path === undefined ? {} : { path });
  open.push(one.close);
  one.indexer.want("v3", V3_POOL);
  one.indexer.want("v4", V4_POOL);
  one.indexer.want("owner", OWNER);
  one.indexer.want("v3_position", `0x${wordOf(NFT)}`);
  return one;
}

/** What an index made in one go from this chain has, without what depends on when it began. */
async function fresh(chain: FakeChain) {
  const one = await begin([(await serve(chain)).url]);
  await one.finish();
  return comparable(one);
}

/** How deep blocks and the journal reach depends on when the index began, and so does how gas was read. */
function comparable({ db, tables }: Indexing) {
  const { swaps, liquidity_changes, holders, tokens, ranges, borders } = contents(db);
  const { nft_transfers, position_flows } = contents(db);
  const checked = tokens?.map((row) => String(row).replace(/"(?:estimate|checked)":\d+,/g, ""));
  const newest = tables.blocks.newest();
  const timeless = (rows = [] as readonly unknown[]) =>
    rows.map((row) => String(row).replace(/"time":(?:null|\d+),/, ""));
  return {
    swaps: digest(timeless(swaps)),
    liquidity: digest(timeless(liquidity_changes)),
    holders: digest(holders),
    nfts: digest(nft_transfers),
    flows: digest(position_flows),
    checked,
    ranges: ranges?.map((row) => String(row).replace(/,"since":(?:null|\d+)/, "")),
    // How far before the first block hours were looked for depends on where the head was then.
    borders: borders?.filter((row) => !String(row).includes('"number":0}')),
    newest,
  };
}

/** Rows in a few words, for they are many: how many, and their hash. */
function digest(rows: readonly unknown[] = []): string {
  return `${rows.length} rows: ${keccakOfText(rows.join("\n"))}`;
}

describe("an index", () => {
  test("has all entries, holders and hours of a chain", async () => {
    const chain = busyChain(700);
    const { tables, finish } = await begin([(await serve(chain)).url]);
    await finish();
    const logs = chain.blocks.flatMap((block) => block.logs);
    expect(tables.entries.swaps(V3_POOL, 1e9, 1e6, 0)).toHaveLength(
      logs.filter(({ address }) => address === V3_POOL).length,
    );
    expect(tables.entries.changes(V4_POOL, 1e9, 1e6, 0)).toHaveLength(
      logs.filter(({ topics }) => topics[1] === V4_POOL).length / 2,
    );
    expect(tables.holders.totals(TOKEN)).toMatchObject({
      belowZero: 0,
      transfers: logs.filter(({ address }) => address === TOKEN).length,
    });
    expect(tables.status.get(TOKEN)).toMatchObject({ checked: 700, refused: null });
    const held = new Set<string>();
    for (const { address, topics } of logs) {
      const [, from = "", to = "", id = ""] = topics;
      if (address !== POSITION_MANAGER || from === to) continue;
      if (BigInt(from) === BigInt(OWNER)) held.delete(BigInt(id).toString());
      if (BigInt(to) === BigInt(OWNER)) held.add(BigInt(id).toString());
    }
    expect(held.size).toBeGreaterThan(3);
    expect(tables.nfts.heldBy(OWNER)).toEqual([...held]);
    const flows = logs.filter(({ topics }) => BigInt(topics[1] ?? 0) === NFT);
    expect(tables.flows.of(`v3:${NFT}`)).toHaveLength(flows.length);
    const [first] = flows;
    expect(tables.flows.of(`v3:${NFT}`)[0]).toMatchObject({
      kind: first?.topics[0] === TOPICS.v3Collect ? "collected" : "in",
      amount0: BigInt(`0x${first?.data.slice(66, 130)}`),
    });
    // 701 blocks of 12 s from the full hour on.
    const hours = tables.gas.hours(0, START * 2_000).map(({ fields }) => fields.block_count);
    expect(hours).toEqual([300, 300, 101]);
  });

  test("goes on block by block, exactly", async () => {
    const chain = busyChain(650);
    const { tables, finish } = await begin([(await serve(chain)).url]);
    await finish();
    for (let n = 651; n <= 1_250; n += 1) {
      chain.mine(busy(n));
      if (n % 50 === 0) await finish();
    }
    const [, , third, fourth] = tables.gas.hours(0, START * 2_000);
    expect(third?.method).toBe("estimated");
    expect(fourth).toMatchObject({
      method: "exact",
      fields: { block_count: 300, tx_count: "225" },
    });
  });

  test("reads nothing again after a restart but what is open", async () => {
    const folder = mkdtempSync(join(tmpdir(), "chain-"));
    open.push(async () => rmSync(folder, { recursive: true }));
    const path = join(folder, "chain.db");
    const chain = busyChain(700);
    const first = await begin([(await serve(chain)).url], path);
    await first.finish();
    await first.close();
    open.splice(open.indexOf(first.close), 1);
    chain.mine(busy(701));
    const node = await serve(chain);
    const second = await begin([node.url], path);
    await second.finish();
    expect(comparable(second)).toEqual(await fresh(chain));
    expect(node.calls.get("eth_feeHistory")).toBeUndefined();
    // One for each of the six filters; none was empty in a block that may have such logs.
    expect(node.calls.get("eth_getLogs")).toBeLessThanOrEqual(12);
  });

  test("follows any reorg as if the chain had always been that way", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc
            .record({
              back: fc.integer({ min: 0, max: 64 }),
              more: fc.integer({ min: 1, max: 30 }),
              seed: fc.nat(50),
            })
            // A chain may be a little shorter for a moment. A head far below is a node that is behind.
            .map(({ back, more, seed }) => ({ back, more: Math.max(more, back - 10), seed })),
          { minLength: 1, maxLength: 6 },
        ),
        async (steps) => {
          const chain = busyChain(400);
          const one = await begin([(await serve(chain)).url]);
          await one.finish();
          for (const { back, more, seed } of steps) {
            chain.reorg(back);
            for (let i = 0; i < more; i += 1) chain.mine(busy(chain.blocks.length, seed));
            await one.finish();
          }
          expect(comparable(one)).toEqual(await fresh(chain));
          const totals = one.tables.holders.totals(TOKEN);
          expect(totals?.supply).toBe(BigInt(chain.view(TOKEN, SELECTORS.totalSupply, chain.head)));
        },
      ),
      {
        numRuns: WHOLE ? 24 : 1,
        // The head comes down to where the blocks that are kept begin 61 below it.
        examples: [[[4, 19, 47].map((back) => ({ back, more: 1, seed: 0 }))]],
      },
    );
  });

  test("is cut where a reorg is deeper than what is kept, and says so", async () => {
    const chain = busyChain(400);
    const one = await begin([(await serve(chain)).url]);
    await one.finish();
    chain.reorg(200);
    for (let i = 0; i < 210; i += 1) chain.mine(busy(chain.blocks.length, 3));
    await one.finish();
    expect(one.reports).toContainEqual(expect.stringContaining("deeper than what is kept"));
    expect(comparable(one)).toEqual(await fresh(chain));
  });

  test("does not mind a head that is shorter than it was", async () => {
    const chain = busyChain(400);
    const one = await begin([(await serve(chain)).url]);
    await one.finish();
    chain.reorg(5);
    chain.mine(busy(396, 4));
    await one.finish();
    expect(comparable(one)).toEqual(await fresh(chain));
  });

  test("that stops anywhere goes on to the same rows", async () => {
    const chain = busyChain(WHOLE ? 1_000 : 500);
    const whole = await fresh(chain);
    for (const stops of WHOLE ? [1, 2, 3, 5, 8] : [3]) {
      const folder = mkdtempSync(join(tmpdir(), "chain-"));
      open.push(async () => rmSync(folder, { recursive: true }));
      const path = join(folder, "chain.db");
      const { url } = await serve(chain, limited(100));
      for (let start = 0; start < 3; start += 1) {
        const part = await begin([url], path);
        await part.indexer.level();
        for (let i = 0; i < stops; i += 1) await part.indexer.background();
        await part.close();
        open.splice(open.indexOf(part.close), 1);
      }
      const last = await begin([url], path);
      await last.finish();
      expect(comparable(last)).toEqual(whole);
    }
  });
});

/** A node that refuses the logs of more blocks than this. */
function limited(blocks: number): Spoil {
  return ({ method, params }) => {
    const [filter] = params;
    if (method !== "eth_getLogs" || typeof filter !== "object" || filter === null) return undefined;
    const { fromBlock, toBlock } = { fromBlock: "0x0", toBlock: "0x0", ...filter };
    if (Number(toBlock) - Number(fromBlock) < blocks) return undefined;
    return { error: { code: -32005, message: `block range is limited to ${blocks}` } };
  };
}

test("the past that is not read yet is told by its parts", async () => {
  const one = await begin([(await serve(busyChain(400))).url]);
  const progress = new ProgressReckoning(one.tables, () => performance.now());
  await one.indexer.level();
  await one.indexer.background();
  expect(progress.open(false)).toEqual([
    { work: "logs of 2 pools", share: 0, leftMs: null },
    { work: "gas of 90 days", share: expect.any(Number), leftMs: null },
  ]);
  await one.finish();
  expect(progress.open(true)).toEqual([]);
});

describe("a node that leaves logs out", () => {
  test("once for each question is found out, at the head and in the past", async () => {
    const chain = busyChain(600);
    const seen = new Set<string>();
    const { url } = await serve(chain, ({ method, params }) => {
      const key = JSON.stringify(params);
      if (method !== "eth_getLogs" || seen.has(key)) return undefined;
      seen.add(key);
      return { result: [] };
    });
    const one = await begin([url]);
    await one.finish();
    for (let n = 601; n <= 640; n += 1) {
      chain.mine(busy(n));
      await one.finish();
    }
    expect(comparable(one)).toEqual(await fresh(chain));
  });

  test("always, in the past, is found out by another node", async () => {
    const chain = busyChain(600);
    const liar = await serve(chain, ({ method, params }) =>
      method === "eth_getLogs" && JSON.stringify(params).includes("fromBlock")
        ? { result: [] }
        : undefined,
    );
    const honest = await serve(chain);
    const one = await begin([liar.url, honest.url]);
    await one.finish();
    expect(comparable(one)).toEqual(await fresh(chain));
  });

  test("in part is found out by the sum of a token's transfers, which are read once more", async () => {
    const chain = busyChain(600);
    let lies = 1;
    const { url } = await serve(chain, ({ method, params }, truth) => {
      if (method !== "eth_getLogs" || !JSON.stringify(params).includes("fromBlock"))
        return undefined;
      if (!Array.isArray(truth) || !JSON.stringify(params).includes(TOKEN)) return undefined;
      // The samples come first: each is of a few blocks.
      if (truth.length < 100 || lies === 0) return undefined;
      lies -= 1;
      return { result: truth.slice(0, -40) };
    });
    const one = await begin([url]);
    await one.finish();
    expect(one.reports).toContainEqual(expect.stringContaining("read once more"));
    expect(comparable(one)).toEqual(await fresh(chain));
  });

  test("answers with logs of another block or contract is not believed", async () => {
    const chain = busyChain(300);
    let lies = 4;
    const { url } = await serve(chain, ({ method }, truth) => {
      if (method !== "eth_getLogs" || !Array.isArray(truth) || truth.length === 0) return undefined;
      lies -= 1;
      if (lies < 0) return undefined;
      const spoiled =
        lies % 2 === 0 ? { blockNumber: "0x7fffffff" } : { address: V3_POOL.replace("3", "5") };
      return {
        result: truth.map((log: object) => ({
          ...log,
          ...spoiled,
          blockHash: `0x${"9".repeat(64)}`,
        })),
      };
    });
    const one = await begin([url]);
    for (let tries = 0; tries < 10; tries += 1) {
      try {
        await one.finish();
        break;
      } catch (error) {
        expect(String(error)).toContain("not asked for");
      }
    }
    expect(comparable(one)).toEqual(await fresh(chain));
  });
});

test("a provider that answers from two heads in turn is followed once it has one", async () => {
  const chain = busyChain(500);
  let other: FakeChain | null = null;
  let turn = 0;
  const node = await serveChain(() => {
    turn += 1;
    return other !== null && turn % 2 === 0 ? other : chain;
  });
  open.push(node.close);
  const one = await begin([node.url]);
  await one.finish();
  other = withToken(chain.copy());
  for (let round = 0; round < 12; round += 1) {
    chain.mine(busy(chain.blocks.length, 1));
    other.mine(busy(other.blocks.length, 2));
    await one.finish().catch((error: unknown) => {
      expect(String(error)).toMatch(/head|block/);
    });
  }
  other = null;
  await one.finish();
  expect(comparable(one)).toEqual(await fresh(chain));
});

describe("holders", () => {
  test("of a token with more transfers than wanted are not begun", async () => {
    const chain = busyChain(600);
    const one = await indexing([(await serve(chain)).url], { mostTransfers: 100 });
    open.push(one.close);
    await one.finish();
    expect(one.tables.sources.get("transfers", TOKEN)).toBeUndefined();
    const { estimate } = one.tables.status.get(TOKEN);
    const transfers = chain.blocks
      .flatMap(({ logs }) => logs)
      .filter(({ address }) => address === TOKEN);
    expect(Math.abs((estimate ?? 0) - transfers.length)).toBeLessThan(transfers.length / 5);
  });

  test("of a token that pays interest are refused, with the sums as the reason", async () => {
    const chain = busyChain(300);
    const { view } = chain;
    chain.view = (to, data, block) => {
      const value = BigInt(view(to, data, block));
      return `0x${wordOf(data === SELECTORS.totalSupply ? value + 5n : value)}`;
    };
    const one = await begin([(await serve(chain)).url]);
    await one.finish();
    expect(one.tables.status.get(TOKEN).refused).toMatch(
      /^its transfers add up to \d+ and its supply is \d+$/,
    );
    expect(one.tables.sources.get("transfers", TOKEN)).toBeUndefined();
  });

  test("of a token that moves some without a transfer are refused by a wallet", async () => {
    const chain = busyChain(300);
    const { view } = chain;
    chain.view = (to, data, block) =>
      data === SELECTORS.totalSupply
        ? view(to, data, block)
        : `0x${wordOf(BigInt(view(to, data, block)) + 1n)}`;
    const one = await begin([(await serve(chain)).url]);
    await one.finish();
    expect(one.tables.status.get(TOKEN).refused).toMatch(/^the transfers of 0x[0-9a-f]{40} add up/);
  });
});

test("a first node that is stuck is not followed while another goes on", async () => {
  const chain = busyChain(500);
  const stuck = chain.copy();
  const nodes = [await serve(stuck), await serve(chain)];
  const one = await begin(nodes.map(({ url }) => url));
  await one.finish();
  expect(one.tables.blocks.newest()?.number).toBe(500);
  for (let n = 501; n <= 540; n += 1) chain.mine(busy(n));
  await one.finish();
  expect(one.tables.blocks.newest()?.hash).toBe(chain.head.hash);
});

test("a fee history whose tips are not those of the transactions is not believed", async () => {
  const chain = busyChain(700);
  // As an old Besu has it: prices in place of tips.
  const { url } = await serve(chain, ({ method }, truth) => {
    if (method !== "eth_feeHistory") return undefined;
    const { reward, ...rest } = truth as { readonly reward: readonly (readonly string[])[] };
    const prices = reward.map((tips) =>
      tips.map((tip) => `0x${(BigInt(tip) + 1_000_000_000n).toString(16)}`),
    );
    return { result: { ...rest, reward: prices } };
  });
  const one = await begin([url]);
  await one.finish();
  expect(one.tables.gas.hours(0, START * 2_000)).toEqual([]);
  expect(one.reports).toContainEqual(expect.stringContaining("no fee history"));
  chain.mine(busy(701));
  await one.finish();
  // Whole blocks tell the truth from then on.
  const [running] = one.tables.gas.hours(0, START * 2_000);
  expect(running?.fields.block_count).toBe(1);
});

test("a node without a fee history tells gas from the next block on", async () => {
  const chain = busyChain(500);
  const { url } = await serve(chain, ({ method }) =>
    method === "eth_feeHistory"
      ? { error: { code: -32601, message: "the method eth_feeHistory is not available" } }
      : undefined,
  );
  const one = await begin([url]);
  await one.finish();
  expect(one.tables.gas.hours(0, START * 2_000)).toEqual([]);
  expect(one.reports).toContainEqual(expect.stringContaining("no fee history"));
  chain.mine(busy(501));
  await one.finish();
  expect(one.tables.gas.hours(0, START * 2_000)).toMatchObject([{ fields: { block_count: 1 } }]);
});
