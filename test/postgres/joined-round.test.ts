import { describe, expect, it } from "vitest";
import type { RoundRecord } from "../../src/model/index.ts";
import { joinedRound } from "../../src/store/postgres/member-rounds.ts";

const scopes = {
  "v4_pool@1": { answered: true, failed: false, refused: 0 as const, byKey: true, detail: null },
};

function round(changes: Partial<RoundRecord>): RoundRecord {
  return {
    date: 1_000,
    rules: ["a"],
    requests: 1,
    subjects: 10,
    failures: {},
    failed: 0,
    unread: [],
    reads: { openedAt: 5, groups: [{ rules: null, scopes, rebased: {} }] },
    tookMs: 20,
    ...changes,
  };
}

describe("a round of several daemons", () => {
  it("has what each of them has read, by the names of its rules", () => {
    const joined = joinedRound(
      round({ unread: [{ subject: "x", metrics: null }], failed: 1 }),
      null,
      round({ rules: ["a", "b"], subjects: 7, requests: 2, tookMs: 50 }),
    );
    expect(joined).toMatchObject({ rules: ["a", "b"], requests: 3, subjects: 17, failed: 1 });
    expect(joined.tookMs).toBe(50);
    expect(joined.unread).toEqual([{ subject: "x", metrics: null }]);
    expect(joined.reads?.groups.map(({ rules }) => rules)).toEqual([["a"], ["a", "b"]]);
  });

  it("counts a part that has grown once", () => {
    const first = round({ requests: 1, unread: [{ subject: "x", metrics: null }] });
    const others = round({ rules: ["b"], requests: 4, subjects: 3 });
    const both = joinedRound(others, null, first);
    const grown = round({
      rules: ["a", "c"],
      requests: 3,
      subjects: 15,
      unread: [
        { subject: "x", metrics: null },
        { subject: "y", metrics: null },
      ],
      reads: {
        openedAt: 5,
        groups: [
          { rules: ["a"], scopes, rebased: {} },
          { rules: ["c"], scopes, rebased: {} },
        ],
      },
    });
    const after = joinedRound(both, first, grown);
    expect(after).toMatchObject({ requests: 7, subjects: 18, rules: ["a", "b", "c"] });
    expect(after.unread.map(({ subject }) => subject)).toEqual(["x", "y"]);
    expect(after.reads?.groups.map(({ rules }) => rules)).toEqual([["b"], ["a"], ["c"]]);
  });
});
