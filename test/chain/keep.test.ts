import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { HOUR } from "../../src/base/duration.ts";
import { Secret } from "../../src/base/text.ts";
import { createChainWorld } from "../../src/chain/world.ts";
import { RPC_DEFAULTS } from "../../src/config/settings/rpc-keys.ts";
import { WHOLE } from "../support/tier.ts";
import { until } from "../support/until.ts";
import { FakeChain, serveChain } from "./support/fake-chain.ts";

const NOTHING = { indexed: new Set<number>(), watched: new Set<number>() };
const ALL = { indexed: new Set([1]), watched: new Set([1]) };

/** A process that follows a chain with a block a second by a node of its own, which counts. */
async function following(test: TestContext, chain: FakeChain) {
  const folder = await mkdtemp(join(tmpdir(), "tickwatch-keep-"));
  test.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  /** The blocks that were read by their numbers, in their order. */
  const read: number[] = [];
  let looks = 0;
  let blocks = 0;
  const node = await serveChain(
    () => chain,
    ({ method, params: [which] }) => {
      if (method !== "eth_getBlockByNumber") return undefined;
      if (which === "latest") looks += 1;
      else if (typeof which === "string") read.push(Number(which));
      return undefined;
    },
  );
  const urls = [new Secret(node.url)];
  const chains = new Map([[1, { ...RPC_DEFAULTS, urls, requestsPerSecond: 10_000 }]]);
  const world = createChainWorld({
    settings: { data: join(folder, "chain.db"), chains },
    clock: systemClock(),
    report: () => {},
    watched: {
      chains: new Set([1]),
      onBlock: () => {
        blocks += 1;
      },
    },
  });
  test.onTestFinished(async () => {
    await world.close();
    await node.close();
  });
  const calls = (): number => [...node.calls.values()].reduce((sum, count) => sum + count, 0);
  return { world, read, calls, looks: () => looks, blocks: () => blocks };
}

it.runIf(WHOLE)(
  "a chain that is not needed any more costs no calls, and is gone on with where it was left",
  async (test) => {
    const now = Math.floor(Date.now() / 1_000);
    const chain = new FakeChain(now - 200);
    for (let n = 0; n < 200; n += 1) chain.mine({ after: 1 });
    const [one, other] = [await following(test, chain), await following(test, chain)];
    const isRead = (block: number) => () => one.read.includes(block);
    const mine = (): number => {
      chain.mine({ after: 1 });
      return chain.head.number;
    };
    // What the other one still does is how long this one does nothing.
    const whileOtherLooks = async (): Promise<void> => {
      const from = other.looks();
      await until(() => other.looks() > from + 3);
    };
    for (const { world } of [one, other]) {
      await Promise.resolve(
        world.gasHours(1, now * 1_000 - 2 * HOUR, now * 1_000, now * 1_000),
      ).catch(() => {});
    }
    await until(isRead(mine()));
    one.world.keep(NOTHING);
    await whileOtherLooks();
    const [calls, blocks] = [one.calls(), one.blocks()];
    one.read.length = 0;
    const left = chain.head.number;
    const missed = Array.from({ length: 5 }, mine);
    await whileOtherLooks();
    expect([one.calls(), one.blocks()]).toEqual([calls, blocks]);
    one.world.keep(ALL);
    await until(isRead(mine()));
    await until(() => one.blocks() > blocks);
    for (const block of missed) expect(one.read).toContain(block);
    // But for the block that it was at, nothing that was there is read again.
    expect(Math.min(...one.read)).toBeGreaterThanOrEqual(left);
  },
);
