import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_CHANGE, type Run } from "../../../src/model/index.ts";
import { openRecorded, type Recorded } from "../../../src/store/operator-db/recorded.ts";
import type { Store } from "../../../src/store/store.ts";
import { propertyRuns } from "../../support/tier.ts";
import { type SqlitePlace, sqlitePlace } from "../sqlite/place.ts";
import { whole } from "./recorded-suite.ts";

const SERIES = 7;
const LATEST = 3_000;

describe("the runs of some series in a file", () => {
  let place: SqlitePlace;
  let store: Store;
  let db: Recorded;
  const runs: Run[] = [];

  beforeAll(async () => {
    place = await sqlitePlace();
    store = await place.open();
    const series = Array.from({ length: SERIES }, (_, at) => {
      return { id: at + 1, subject: `gas:${at + 1}`, metric: "tip_top10" };
    });
    // The first changes with each round and the last never.
    for (const { id } of series) {
      const every = id === SERIES ? LATEST : id ** 3;
      for (let first = id; first < LATEST; first += every) {
        const last = Math.min(first + every, LATEST) - 1;
        runs.push({ series: id, first, last, value: `${id} ${first}` });
      }
    }
    await store.commit({ ...NO_CHANGE, series, runs });
    const opened = await openRecorded(place.path);
    if (opened === null) throw new Error("no database");
    db = opened;
  });
  afterAll(async () => {
    db.close();
    await store.close();
    await place.remove();
  });

  it("are those that began in a time, and the one of each that held when it began", async () => {
    const moment = fc.integer({ min: 0, max: LATEST + 10 });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: SERIES + 1 })),
        moment,
        moment,
        async (ids, from, to) => {
          const its = runs
            .filter(({ series }) => ids.includes(series))
            .toSorted((a, b) => a.first - b.first || a.series - b.series);
          const before = ids.flatMap(
            (id) => its.findLast((run) => run.series === id && run.first < from) ?? [],
          );
          const within = its.filter(({ first }) => first >= from && first <= to);
          const sorted = before.toSorted((a, b) => a.first - b.first || a.series - b.series);
          expect(await whole(db.runs(ids, from, to))).toEqual([...sorted, ...within]);
        },
      ),
      { numRuns: propertyRuns(160) },
    );
  });

  it("come once each where one ends while somebody goes through them", async () => {
    const seen: string[] = [];
    const keyOf = ({ series, first }: Run): string => `${series} ${first}`;
    for await (const page of db.runs([1, SERIES], 0, LATEST)) {
      if (seen.length === 0) {
        const ended = { series: SERIES, first: LATEST, last: LATEST, value: "new" };
        const going = { series: 1, first: LATEST, last: LATEST, value: "new" };
        await store.commit({ ...NO_CHANGE, runs: [ended, going] });
      }
      seen.push(...page.map(keyOf));
    }
    expect(new Set(seen).size).toBe(seen.length);
    const wanted = runs.filter(({ series }) => series === 1 || series === SERIES).map(keyOf);
    expect(seen).toEqual(expect.arrayContaining(wanted));
  });
});
