import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyTracks, TRACKS, type Tracks } from "../support/any-answers.ts";
import { type AnyRule, anyRules, anyWording } from "../support/any-rules.ts";
import { type StoryLine, storyOf } from "../support/rule-story.ts";
import { propertyRuns } from "../support/tier.ts";
import { MINUTE, START } from "../support/world.ts";

const MINUTES = 75;
const tracks = anyTracks(MINUTES);
/** To make a world of hundreds of answers smaller takes an hour: the seed and path of one that fails say it all. */
const times = (n: number): { numRuns: number; endOnFailure: true } => ({
  numRuns: Number(process.env.RUNS ?? propertyRuns(n)),
  endOnFailure: true,
});

/** The lines of a story without what is said of all subjects, in their order. */
function withoutLists(lines: readonly StoryLine[]): readonly StoryLine[] {
  return lines.map((one) => (one.kind === "started" ? { ...one, headline: "" } : one));
}

/** How many rules are blind is counted anew after a restart, as they come due. */
function withoutCounts(lines: readonly StoryLine[]): readonly StoryLine[] {
  return lines.map((one) => ({
    ...one,
    headline: one.headline.replace(/\d+ rules?, \d+ alerts?/, "so many"),
  }));
}

/** A position's pool is asked for with it, or after it if it has been forgotten. */
function withAnsweringPositions(all: Tracks): Tracks {
  const track = (all.get("v4_position") ?? []).map((one) => (one === "failed" ? "absent" : one));
  return new Map([...all, ["v4_position", track]]);
}

/** Says of each alert that is told twice that it fires, or twice that it is over, which it is. */
function repeated(rules: readonly AnyRule[], lines: readonly StoryLine[]): readonly string[] {
  const last = new Map<string, string>();
  const found: string[] = [];
  for (const { minute, rule, subject, kind, headline } of lines) {
    if (rules[rule]?.keys.send_resolved === "false") continue;
    // Of data that comes and goes nothing fires.
    if (headline.startsWith("⚪ Data comes and goes")) continue;
    const turn = kind === "flapping" ? "fired" : kind;
    if (turn !== "fired" && turn !== "resolved") continue;
    const key = `${rule} ${subject}`;
    // The first end may be of what was told by `started`.
    if (last.get(key) === turn) found.push(`${minute} ${kind} ${key}`);
    last.set(key, turn);
  }
  return found;
}

describe("rules of the whole language", () => {
  it("tell the same in any order, by any names, with their subjects in any order", async () => {
    const given = anyRules.chain((rules) => fc.tuple(fc.constant(rules), anyWording(rules)));
    await fc.assert(
      fc.asyncProperty(given, tracks, async ([rules, wording], all) => {
        const plain = await storyOf(rules, all, { minutes: MINUTES });
        const other = await storyOf(rules, all, { minutes: MINUTES, wording });
        expect(withoutLists(other)).toEqual(withoutLists(plain));
        expect(repeated(rules, plain)).toEqual([]);
      }),
      times(10),
    );
  });

  it("tell the same over restarts at any points", async () => {
    const restarts = fc.array(fc.nat(MINUTES - 1), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(anyRules, tracks, restarts, async (rules, drawn, at) => {
        const all = withAnsweringPositions(drawn);
        const undisturbed = await storyOf(rules, all, { minutes: MINUTES });
        const restarted = await storyOf(rules, all, { minutes: MINUTES, restarts: at });
        expect(withoutCounts(restarted)).toEqual(withoutCounts(undisturbed));
      }),
      times(10),
    );
  });

  it("tell the same at another hour and on another day", async () => {
    const shift = fc.oneof(fc.integer({ min: -9_000, max: 9_000 }), fc.constantFrom(24, -8_760));
    await fc.assert(
      fc.asyncProperty(anyRules, tracks, shift, async (rules, all, hours) => {
        const start = START + hours * 60 * MINUTE;
        const here = await storyOf(rules, all, { minutes: MINUTES });
        const there = await storyOf(rules, all, { minutes: MINUTES, start });
        // Hours of gas are called by their time.
        const told = (lines: readonly StoryLine[]): readonly StoryLine[] =>
          hours % 24 === 0 ? lines : lines.map((one) => ({ ...one, headline: "" }));
        const sorted = (lines: readonly StoryLine[]): readonly string[] =>
          told(lines)
            .map((one) => JSON.stringify(one))
            .toSorted();
        expect(sorted(there)).toEqual(sorted(here));
      }),
      times(8),
    );
  });
});

/** Every way to say that something falls, of each kind, of each subject and of all together. */
const FALLS: readonly AnyRule[] = [
  ["v4_pool", "tvl_usd", "12m"],
  ["token_supply", "total_supply", "12m"],
  ["holder_count", "holder_count", "12m"],
  ["gas", "tip_top10", "8h"],
].flatMap(([kind, metric, w]) =>
  [null, ...(kind === "gas" ? [] : ["sum"]), "min", "max"].flatMap((across) =>
    [`within: ${w}`, `since: ${w}`, "since: last"].map((span) => ({
      kind: kind as AnyRule["kind"],
      chains: kind === "holder_count" ? [1] : [1, 137],
      keys: {
        when: `{metric: ${metric}, falls: 1%, ${span}}`,
        schedule: kind === "gas" ? "5m" : "1m",
        ...(across === null ? {} : { across }),
      },
      onlyWhile: [],
      unless: [],
    })),
  ),
);

describe("a subject that is missing", () => {
  /** Levels that never go down, with holes of every sort in them. */
  const rising = fc
    .array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 6 }), fc.nat(12)), {
      minLength: 20,
      maxLength: 20,
    })
    .map((steps) => {
      let level = 6;
      const holes = ["null", "absent", "failed"] as const;
      return steps.flatMap(([up, length, hole]) => {
        level = Math.min(12, level + Math.max(0, up - 2));
        const one = holes[hole] ?? level;
        return Array.from({ length }, () => one);
      });
    });

  it("makes no fall, alone or in a sum, and hides none", async () => {
    const all = fc.tuple(...TRACKS.map(() => rising));
    const restarts = fc.array(fc.nat(MINUTES - 1), { maxLength: 3 });
    const names = FALLS.map((_, place) => `falls-${place + 100}`);
    const wording = { order: [...FALLS.keys()], names, turned: false };
    await fc.assert(
      fc.asyncProperty(all, restarts, async (given, at) => {
        const minutes = MINUTES + 30;
        const tracksOf = (end: number): Tracks =>
          new Map(
            TRACKS.map((name, i) => {
              const held = given[i]?.slice(0, MINUTES) ?? [];
              while (held.length < MINUTES + 15) held.push(12);
              return [name, [...held, ...Array.from({ length: 15 }, () => end)]];
            }),
          );
        const options = { minutes, restarts: at, wording };
        const quiet = await storyOf(FALLS, tracksOf(12), options);
        expect(quiet.filter(({ kind }) => kind === "fired" || kind === "worse")).toEqual([]);
        const fallen = await storyOf(FALLS, tracksOf(6), options);
        const fired = new Set(fallen.flatMap(({ kind, rule }) => (kind === "fired" ? [rule] : [])));
        const expected = FALLS.flatMap(({ kind }, place) => (kind === "gas" ? [] : [place]));
        expect(expected.filter((place) => !fired.has(place))).toEqual([]);
      }),
      times(2),
    );
  });
});
