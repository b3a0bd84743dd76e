import { describe, expect, it } from "vitest";
import { type Alert, type RoundRecord, SOURCE_RULE } from "../../src/model/index.ts";
import { LonelyOutage } from "../../src/ops/lonely-outage.ts";
import type { Store } from "../../src/store/store.ts";
import { makeAlert } from "../support/nouns.ts";

const MINE = "supply@137";
const OTHER = "gas_hour@1";

describe("a daemon of several that is answered nothing", () => {
  /** When something was answered last, by what was asked for; by any of the daemons. */
  const last = new Map<string, number>();
  const store = {
    alertsOf: async (): Promise<readonly Alert[]> =>
      Array.from(last, ([subject, heldAt]) => makeAlert({ rule: SOURCE_RULE, subject, heldAt })),
  } as unknown as Store;

  function round(date: number, answered: boolean): RoundRecord {
    const scope = { answered, failed: !answered, refused: 0, byKey: false, detail: null } as const;
    const groups = [{ rules: null, scopes: { [MINE]: scope }, rebased: {} }];
    return {
      date,
      rules: ["net-mint"],
      requests: 1,
      subjects: 1,
      failures: {},
      failed: answered ? 0 : 1,
      unread: [],
      reads: { openedAt: 0, groups },
      tookMs: 1,
    };
  }

  /** Rounds from one minute to another, in which others are answered `others`: when the part is given away. */
  async function givesAway(
    lonely: LonelyOutage,
    [from, to]: readonly [number, number],
    others: readonly string[],
    answered = false,
  ): Promise<number[]> {
    const given: number[] = [];
    for (let date = from; date <= to; date += 1) {
      for (const key of others) last.set(key, date);
      if (answered) last.set(MINE, date);
      if (await lonely.sees(round(date, answered))) given.push(date);
    }
    return given;
  }

  it("gives its part away once, where the others are not answered that either", async () => {
    last.clear();
    const lonely = new LonelyOutage(store);
    expect(await givesAway(lonely, [1, 3], [OTHER], true)).toEqual([]);
    expect(await givesAway(lonely, [4, 60], [OTHER])).toEqual([5]);
  });

  it("gives it away again, as long as others are answered what it is not", async () => {
    last.clear();
    const lonely = new LonelyOutage(store);
    expect(await givesAway(lonely, [1, 2], [OTHER])).toEqual([2]);
    // It had its part back after a rest in which the others were answered.
    last.set(MINE, 7);
    expect(await givesAway(lonely, [8, 9], [OTHER])).toEqual([9]);
  });

  it("begins anew once it was answered", async () => {
    last.clear();
    const lonely = new LonelyOutage(store);
    expect(await givesAway(lonely, [1, 5], [OTHER])).toEqual([2]);
    expect(await givesAway(lonely, [6, 7], [OTHER], true)).toEqual([]);
    expect(await givesAway(lonely, [8, 12], [OTHER])).toEqual([9]);
  });

  it("keeps its part while nobody is answered anything", async () => {
    last.clear();
    expect(await givesAway(new LonelyOutage(store), [1, 20], [])).toEqual([]);
  });
});
