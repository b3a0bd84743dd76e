import { expect, it } from "vitest";
import type { Rounds } from "../../../src/commit/rounds.ts";
import type { Source } from "../../../src/fetch/source.ts";
import type { Setup } from "../../../src/model/index.ts";
import {
  CurrentRounds,
  LostRoundsError,
  PostponedError,
} from "../../../src/ops/reload/current-rounds.ts";
import { StoreError } from "../../../src/store/store.ts";
import { setupOf } from "../../support/world-setup.ts";

const BEFORE = setupOf("rules: []");
const NEXT = setupOf("rules: []");
const NOW = Date.UTC(2026, 10, 29, 18);

/** Rounds that do nothing but note what becomes of them; `stops`: what happens in their last commits. */
async function running(stops: () => void = () => {}) {
  const happened: string[] = [];
  const nameOf = (setup: Setup): string => (setup === BEFORE ? "before" : "next");
  let trouble: string | null = null;
  const make = (name: string): Rounds => {
    const rounds: Partial<Rounds> = {
      pause: async () => NOW,
      start: (from) => void happened.push(`${name} goes on from ${from === NOW ? "there" : from}`),
      stop: async () => {
        happened.push(`${name} stopped`);
        stops();
      },
      again: () => make(`${name} again`),
    };
    return Object.assign(rounds, { memory: { facts: new Map() } }) as Rounds;
  };
  let unreadable: Error | null = null;
  const open = async (setup: Setup): Promise<Rounds> => {
    if (unreadable !== null) {
      happened.push(`${nameOf(setup)} not opened`);
      throw unreadable;
    }
    happened.push(`${nameOf(setup)} opened`);
    return make(nameOf(setup));
  };
  const source: Partial<Source> = { close: async () => {} };
  const rounds = await CurrentRounds.open(
    {
      open,
      openSource: () => source as Source,
      trouble: () => trouble,
      stop: new AbortController().signal,
    },
    BEFORE,
  );
  happened.length = 0;
  return {
    rounds,
    happened,
    fails: (why: string | null) => {
      trouble = why;
    },
    cannotRead: (why: Error | null) => {
      unreadable = why;
    },
  };
}

it("go over to the next ones once all that those before have decided is written", async () => {
  const { rounds, happened } = await running();
  const go = await rounds.follow(BEFORE, NEXT, false);
  go();
  expect(happened).toEqual(["before stopped", "next opened", "next goes on from there"]);
});

it("go on as they were where the store fails in their last commits", async () => {
  const causes = ["the disk is full", null];
  const world = await running(() => world.fails(causes.shift() ?? null));
  const { rounds, happened } = world;
  // What is kept in memory would be written when it is somebody else's.
  await expect(rounds.follow(BEFORE, NEXT, false)).rejects.toThrow(PostponedError);
  expect(happened).toEqual(["before stopped", "before again goes on from there"]);
  world.fails(null);
  happened.length = 0;
  await rounds.follow(BEFORE, NEXT, true);
  expect(happened).toEqual(["before again stopped", "next opened"]);
});

it("go on with what they have in memory where the store is gone once they have stopped", async () => {
  const { rounds, happened, cannotRead } = await running();
  cannotRead(new StoreError("unwritable", "the server is gone"));
  for (const asksAnew of [false, true]) {
    await expect(rounds.follow(BEFORE, NEXT, asksAnew)).rejects.toThrow("the server is gone");
  }
  const onceMore = ["next not opened", "before not opened"];
  expect(happened).toEqual([
    "before stopped",
    ...onceMore,
    "before again goes on from there",
    "before again stopped",
    ...onceMore,
    "before again again goes on from there",
  ]);
  happened.length = 0;
  cannotRead(null);
  (await rounds.follow(BEFORE, NEXT, true))();
  expect(happened.at(-1)).toBe("next goes on from there");
});

it("do not go on where somebody else has the store", async () => {
  const { rounds, happened, cannotRead } = await running();
  cannotRead(new StoreError("fenced", "another daemon has taken over"));
  await expect(rounds.follow(BEFORE, NEXT, true)).rejects.toThrow(LostRoundsError);
  expect(happened.filter((line) => line.includes("goes on"))).toEqual([]);
});
