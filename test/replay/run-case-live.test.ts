import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatProblem } from "../../src/config/files/text-file.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { loadTests } from "../../src/replay/load-tests.ts";
import { runCase } from "../../src/replay/run-case.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { anyTracks, type Tracks } from "../support/any-answers.ts";
import { type AnyRule, anyRules, plainWording } from "../support/any-rules.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { storyOf } from "../support/rule-story.ts";
import { type RuleTestOptions, ruleTestText } from "../support/rule-test-text.ts";
import { MINUTE, START } from "../support/world.ts";

const MINUTES = 60;
/** RUNS: more of them, where somebody hunts for faults. */
const RUNS = Number(process.env.RUNS ?? 4);
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-live-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** What `tickwatch test` says that the rules tell. */
async function replayed(
  rules: readonly AnyRule[],
  tracks: Tracks,
  options: RuleTestOptions,
): Promise<readonly string[]> {
  const text = ruleTestText(rules, tracks, options);
  const { cases, problems } = await loadTests("drawn.test.yaml", {
    kinds: KINDS,
    readFile: () => Promise.resolve(new TextEncoder().encode(text)),
  });
  expect(problems.map(formatProblem)).toEqual([]);
  const [one] = cases;
  if (one === undefined) throw new Error("no case");
  const { seen, lacking } = await runCase(one, { kinds: KINDS, createStore: createMemoryStore });
  expect(lacking).toEqual([]);
  const { names } = plainWording(rules);
  return seen
    .map(({ notice }) => {
      const headline = names.reduce(
        (left, name, place) => left.replaceAll(name, `rule ${place}`),
        notice.headline,
      );
      return line((notice.at - options.start) / MINUTE, notice.kind, headline);
    })
    .toSorted();
}

function line(minute: number, kind: string, headline: string): string {
  return `${minute} ${kind} ${headline.replaceAll(/\d{4}-\d\d-\d\d/g, "DAY")}`;
}

describe("rules of the whole language", () => {
  it("tell live, on a database in a file, what tickwatch test says that they tell", async () => {
    const restarts = fc.array(fc.nat(MINUTES - 1), { maxLength: 6 });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(anyRules, anyTracks(MINUTES), restarts, async (rules, tracks, at) => {
        const expected = await replayed(rules, tracks, {
          start: START,
          minutes: MINUTES,
          restarts: at,
        });
        run += 1;
        const store = await openSqliteStore(join(folder, `${run}.db`));
        const live = await storyOf(rules, tracks, { minutes: MINUTES, restarts: at, store });
        await store.close();
        const told = live.map(({ minute, kind, headline }) => line(minute, kind, headline));
        expect(told.toSorted()).toEqual(expected);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});
