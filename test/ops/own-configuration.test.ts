import { expect, it } from "vitest";
import type { Setup } from "../../src/model/index.ts";
import { OwnConfiguration } from "../../src/ops/own-configuration.ts";
import { type Differences, differences } from "../../src/ops/reload/setup-parts.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { setupOf } from "../support/world-setup.ts";

const NOW = Date.UTC(2026, 10, 29, 17);

const watching = (limit: number): Setup =>
  setupOf(`rules:
  - name: gas
    watch: {kind: gas, chain: 1}
    when: {metric: tip_min, above: ${limit} gwei}
`);
const OLD = watching(10);
const NEW = watching(20);
const EDIT = watching(30);

/** A daemon that was started with the old files, beside `others`. */
function daemon(others = 1) {
  const clock = createFakeClock(NOW);
  let setup = OLD;
  let tail: Promise<unknown> = Promise.resolve();
  /** What it went over to by itself, and what it wants all to go over to. */
  const [followed, proposed] = [new Array<Setup>(), new Array<string>()];
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = tail.then(work);
    tail = turn.catch(() => {});
    return turn;
  };
  const own = new OwnConfiguration({ clock, setup: () => setup, inTurn, others: () => others });
  return {
    clock,
    followed,
    proposed,
    own,
    inTurn,
    /** Another one's configuration is in force from now on. */
    goesOver: (next: Setup) => {
      setup = next;
    },
    load: (next: Setup, isForced = false): Promise<Differences> =>
      own.load(
        next,
        isForced,
        async () => {
          followed.push(next);
          const what = differences(setup, next);
          setup = next;
          return what;
        },
        async (hash) => {
          proposed.push(hash);
          return ["other"];
        },
      ),
  };
}

it("stays with what others have loaded while it waited with files that are as they were", async () => {
  const { load, clock, goesOver, followed, proposed } = daemon();
  const loading = load({ ...OLD });
  await clock.advance(1_000);
  goesOver(NEW);
  await clock.advance(2_000);
  expect(await loading).toMatchObject({ isOlder: true, any: false });
  expect([followed, proposed]).toEqual([[], []]);
});

it("stays with what it goes over to before its turn has come", async () => {
  const { load, clock, goesOver, inTurn, followed } = daemon();
  let arrive = (): void => {};
  const change = inTurn(async () => {
    await new Promise<void>((resolve) => {
      arrive = resolve;
    });
    goesOver(NEW);
  });
  const loading = load({ ...OLD });
  await clock.advance(3_000);
  arrive();
  await change;
  expect(await loading).toMatchObject({ isOlder: true });
  expect(followed).toEqual([]);
});

it("follows its own files where what they say came into force while it waited", async () => {
  const { load, clock, goesOver, followed } = daemon();
  goesOver(NEW);
  const loading = load({ ...OLD });
  await clock.advance(3_000);
  goesOver(OLD);
  await clock.advance(2_999);
  expect(followed).toEqual([]);
  await clock.advance(1);
  expect((await loading).isOlder).toBeUndefined();
  expect(followed).toHaveLength(1);
});

it("goes over at once to what is its own in files that are as they were, where it is alone", async () => {
  const { load, followed } = daemon(0);
  const quick = { ...OLD, service: { ...OLD.service, timeoutMs: 1 } };
  expect(await load(quick)).toMatchObject({ source: true, any: true });
  expect(followed).toEqual([quick]);
});

it("has an edit be in force for all, and says for whom it waits", async () => {
  const { load, own, followed, proposed } = daemon();
  expect(await load(EDIT)).toMatchObject({ any: true, waitsFor: ["other"] });
  expect([followed, proposed]).toEqual([[], [own.hash]]);
});

it("goes back to older files where somebody insists on them", async () => {
  const { load, goesOver, proposed } = daemon();
  goesOver(NEW);
  expect(await load({ ...OLD }, true)).toMatchObject({ waitsFor: ["other"] });
  expect(proposed).toHaveLength(1);
});

it("waits for nobody once it is to stop", async () => {
  const { load, own, clock } = daemon();
  const loading = load({ ...OLD });
  own.stop();
  await loading;
  expect(clock.waiting()).toBe(0);
});
