import { setImmediate as immediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Secret } from "../../../src/base/text.ts";
import { ChainState } from "../../../src/chain/state/chain-state.ts";
import { HeadWatch } from "../../../src/chain/state/head-watch.ts";
import { RPC_DEFAULTS } from "../../../src/config/settings/rpc-keys.ts";
import { createFakeClock, type FakeClock } from "../../support/fake-clock.ts";
import { FakeChain, serveChain } from "../support/fake-chain.ts";

const START = 1_764_547_200;

let chain: FakeChain;
let node: Awaited<ReturnType<typeof serveChain>>;
let state: ChainState;
let clock: FakeClock;
let watch: HeadWatch;
let blocks = 0;
let isDown = false;
/** What happens before each answer about the head. */
let turn = (): void => {};

beforeEach(async () => {
  chain = new FakeChain(START);
  for (let n = 0; n < 120; n += 1) chain.mine({});
  blocks = 0;
  isDown = false;
  turn = () => {};
  node = await serveChain(
    (): FakeChain => {
      turn();
      return chain;
    },
    () => (isDown ? { error: { code: -32_603, message: "out of order" } } : undefined),
  );
  clock = createFakeClock(START * 1_000);
  state = new ChainState({
    chainId: 1,
    config: { ...RPC_DEFAULTS, requestsPerSecond: 10_000, urls: [new Secret(node.url)] },
    report: () => {},
    newest: true,
    watched: () => true,
    date: () => chain.head.time * 1_000,
    now: () => clock.elapsed(),
  });
  watch = new HeadWatch(state, clock, () => {
    blocks += 1;
  });
  await looked();
});
afterEach(async () => {
  await watch.stop();
  await state.close();
  await node.close();
});

/** Until the look that goes on is over: then the next one is booked. */
async function looked(): Promise<void> {
  while (clock.waiting() === 0) await immediate();
}

/** One look more; resolves to how long it was waited for, in milliseconds. */
async function look(): Promise<number> {
  const before = clock.elapsed();
  clock.step();
  const waited = clock.elapsed() - before;
  await looked();
  return waited;
}

it("tells of each block once, and of one that takes another's place", async () => {
  expect(blocks).toBe(1);
  await look();
  await look();
  expect(blocks).toBe(1);
  chain.mine({});
  await look();
  expect(blocks).toBe(2);
  chain.reorg(1);
  chain.mine({ after: 13 });
  await look();
  expect(blocks).toBe(3);
  await look();
  expect(blocks).toBe(3);
});

it("rests for most of the time between two blocks, then looks again and again", async () => {
  expect(await look()).toBe(7_200);
  expect(await look()).toBe(400);
  chain.mine({});
  expect(await look()).toBe(400);
  expect(await look()).toBe(7_200);
});

it("goes on looking at a node that fails, and tells of what is new once it answers", async () => {
  isDown = true;
  await look();
  expect(await look()).toBe(1_000);
  expect(blocks).toBe(1);
  chain.mine({});
  isDown = false;
  await look();
  await look();
  expect(blocks).toBe(2);
});

it("stays where it is while a provider answers from two heads in turn", async () => {
  const behind = chain.copy();
  chain.mine({});
  await look();
  await look();
  const seen = blocks;
  const [ahead, other] = [chain, chain.copy()];
  other.reorg(1);
  other.mine({ after: 13 });
  // Each answer about the head is of the next of them.
  const heads = [behind, ahead, other, ahead, behind, behind, ahead, other, ahead];
  heads.push(...heads);
  turn = () => {
    chain = heads.shift() ?? ahead;
  };
  while (heads.length > 0) await look();
  expect(blocks).toBe(seen);
  turn = () => {};
  ahead.mine({});
  chain = ahead;
  await look();
  await look();
  expect(blocks).toBe(seen + 1);
});

it("follows a chain that has become shorter once it stays so", async () => {
  chain.mine({});
  await look();
  await look();
  const seen = blocks;
  chain.reorg(1);
  await look();
  expect(blocks).toBe(seen);
  await clock.advance(30_000);
  await looked();
  await look();
  expect(blocks).toBe(seen + 1);
});
