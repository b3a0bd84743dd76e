import { expect, it, onTestFinished } from "vitest";
import type { Source } from "../../src/fetch/source.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { Ask, Setup } from "../../src/model/index.ts";
import { HoldingsWatch } from "../../src/ops/holdings.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { setupOf } from "../support/world-setup.ts";

const NOW = Date.UTC(2026, 10, 29, 17);
const OWNER = `0x${"11".repeat(20)}`;

const watching = (limit: number): Setup =>
  setupOf(`rules:
  - name: value
    watch: {kind: v4_position, chain: 1, owner: "${OWNER}"}
    when: {metric: value_usd, below: ${limit}}
    schedule: 1m
`);
const OLD = watching(5);
const NEW = watching(10);

/** What the owner holds, by its numbers. */
function sourceOf(nfts: () => readonly string[]): Source {
  return {
    plan: (asks: readonly Ask[]) => [{ asks }],
    fetch: async () => [
      {
        status: "ok",
        records: nfts().map((nft_id) => ({ nft_id, chain_id: 1, liquidity: "1" })),
      },
    ],
  } as unknown as Source;
}

async function watch() {
  const clock = createFakeClock(NOW);
  const log = { warn: () => {}, info: () => {} };
  const store = { mark: async () => null };
  const owned = await HoldingsWatch.open(OLD, { kinds: KINDS, store, clock, log });
  let held = ["7"];
  const source = sourceOf(() => held);
  const turns: (() => Setup)[] = [];
  let goOn = (): void => {};
  onTestFinished(
    owned.start(
      () => source,
      (given) =>
        new Promise((resolve) => {
          turns.push(given);
          goOn = () => resolve(null);
        }),
    ),
  );
  owned.expand(OLD);
  return {
    clock,
    owned,
    turns,
    goOn: () => goOn(),
    holds: (...nfts: readonly string[]) => {
      held = [...nfts];
    },
  };
}

it("goes over, with what an owner holds by now, to the setup that is in force when its turn has come", async () => {
  const { clock, owned, turns, goOn } = await watch();
  await clock.advance(60_000);
  expect(turns).toHaveLength(1);
  // Something else had its turn before, and went over to another configuration.
  owned.expand(NEW);
  const given = turns[0]?.();
  goOn();
  expect(given).toBe(NEW);
  expect(owned.expand(NEW).rules[0]?.subjects).toHaveLength(1);
});

it("asks again once its turn is over, and follows only what has changed", async () => {
  const { clock, turns, goOn, holds } = await watch();
  await clock.advance(60_000);
  goOn();
  await clock.advance(60_000);
  expect(turns).toHaveLength(1);
  holds("7", "8");
  await clock.advance(60_000);
  expect(turns).toHaveLength(2);
  goOn();
});
