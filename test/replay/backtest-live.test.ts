import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "../../src/base/log.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { backtest } from "../../src/replay/past/backtest.ts";
import { needsByKey, needsOf } from "../../src/replay/past/needs.ts";
import { recordedMetrics } from "../../src/replay/past/recorded-tracks.ts";
import { tracksOf } from "../../src/replay/past/tracks.ts";
import { openRecorded } from "../../src/store/operator-db/recorded.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { anyTracks, type State, type Tracks } from "../support/any-answers.ts";
import { type AnyRule, anyRules, plainWording, yamlOf } from "../support/any-rules.ts";
import { storyOf } from "../support/rule-story.ts";
import { propertyRuns } from "../support/tier.ts";
import { MINUTE, START } from "../support/world.ts";
import { setupOf } from "../support/world-setup.ts";

const MINUTES = 60;
/** RUNS: more of them, where somebody hunts for faults. */
const RUNS = Number(process.env.RUNS ?? propertyRuns(24));
/** SEED: other worlds than those that every build is tried on. */
const DRAWN = { numRuns: RUNS, seed: Number(process.env.SEED ?? 20), endOnFailure: true };
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-backtest-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function replayed(rules: readonly AnyRule[], path: string): Promise<readonly string[]> {
  const yaml = yamlOf(rules, plainWording(rules));
  const setup = setupOf(yaml);
  const recorded = await openRecorded(path);
  if (recorded === null) throw new Error("nothing was recorded");
  const needs = needsByKey(
    setup.rules.map((rule) => needsOf(rule, KINDS)),
    recordedMetrics(recorded),
  );
  const { worlds } = await backtest({
    worlds: [setup.rules],
    kinds: KINDS,
    from: START,
    to: START + MINUTES * MINUTE,
    tracks: tracksOf(needs, recorded, new Map(), new Map()),
    recorded,
    lookBackMs: 0,
    selfNotify: setup.selfNotify,
    log: createLogger({ level: "silent", stream: { write: () => true } }),
    stop: new AbortController().signal,
  });
  recorded.close();
  const { names } = plainWording(rules);
  return (worlds[0]?.notices ?? []).map(({ notice, channels }) =>
    line(
      (notice.at - START) / MINUTE,
      notice.kind,
      names.indexOf(notice.rule ?? ""),
      notice.subject ?? "",
      channels.toSorted().join("+"),
    ),
  );
}

function line(
  minute: number,
  kind: string,
  rule: number,
  subject: string,
  channels: string,
): string {
  return `${minute} rule ${rule} ${subject} ${kind} ${channels}`;
}

/** A record that lags, or a request that failed, as another state. */
function without(tracks: Tracks, states: ReadonlySet<State>, instead: State): Tracks {
  return new Map(
    Array.from(tracks, ([name, all]) => [
      name,
      all.map((state) => (states.has(state) ? instead : state)),
    ]),
  );
}

/** Who is told of an outage depends on answers to other requests, such as those for names, which are not recorded. */
const OUTAGES = /(?:no_data|data_back|source_down|source_up) /;

describe("a backtest of what a daemon recorded", () => {
  const restarts = fc.array(fc.nat(MINUTES - 1), { maxLength: 6 });
  let run = 0;

  async function compared(rules: readonly AnyRule[], tracks: Tracks, at: readonly number[]) {
    run += 1;
    const path = join(folder, `${run}.db`);
    const store = await openSqliteStore(path);
    const live = await storyOf(rules, tracks, { minutes: MINUTES, restarts: at, store });
    await store.close();
    const told = live
      .filter(({ kind }) => kind !== "started" && kind !== "baseline")
      .map((one) => line(one.minute, one.kind, one.rule, one.subject, one.channels));
    return { replayed: (await replayed(rules, path)).toSorted(), told: told.toSorted() };
  }

  it("tells what the daemon told, over restarts and gaps", async () => {
    await fc.assert(
      fc.asyncProperty(anyRules, anyTracks(MINUTES), restarts, async (rules, drawn, at) => {
        // An hour that one of several chains does not tell is not recorded as such.
        fc.pre(rules.every(({ kind, keys }) => kind !== "gas" || keys.across === undefined));
        const tracks = without(drawn, new Set(["old", "failed"]), "absent");
        const { replayed: found, told } = await compared(rules, tracks, at);
        expect(found).toEqual(told);
      }),
      DRAWN,
    );
  });

  it("tells the same of values while requests fail and records lag", async () => {
    await fc.assert(
      fc.asyncProperty(anyRules, anyTracks(MINUTES), restarts, async (rules, drawn, at) => {
        // What fires for want of data fires with the outage.
        fc.pre(rules.every(({ keys }) => keys.on_missing === undefined));
        const tracks = without(drawn, new Set(["old"]), "failed");
        const { replayed: found, told } = await compared(rules, tracks, at);
        const ofValues = (all: readonly string[]) => all.filter((one) => !OUTAGES.test(one));
        expect(ofValues(found)).toEqual(ofValues(told));
      }),
      DRAWN,
    );
  });
});
