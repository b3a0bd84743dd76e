import { describe, expect, it } from "vitest";
import {
  type BackfillState,
  backfillsFromText,
  backfillsToText,
  isBackfilled,
  rewoundBackfills,
  withBackfill,
} from "../../src/poll/backfill-state.ts";

const DAY = 86_400_000;
const ONE: BackfillState = {
  metric: "balance",
  at: 100 * DAY,
  needMs: 7 * DAY,
  span: { first: 90 * DAY, last: 99 * DAY, spacingMs: DAY },
};

describe("what is remembered of a history", () => {
  it("reads as it was written, and anything else as nothing", () => {
    const all = [ONE, { ...ONE, metric: "other", span: null }];
    expect(backfillsFromText(backfillsToText(all))).toEqual(all);
    expect(backfillsFromText(undefined)).toBeNull();
    expect(backfillsFromText('{"a": 1}')).toBeNull();
    expect(backfillsFromText('[1, ["balance", "x"]]')).toEqual([]);
  });

  it("holds for its window's length and no longer need, and for a day where it was empty", () => {
    expect(isBackfilled([ONE], "balance", 7 * DAY, 107 * DAY - 1)).toBe(true);
    expect(isBackfilled([ONE], "balance", 7 * DAY, 107 * DAY)).toBe(false);
    expect(isBackfilled([ONE], "balance", 7 * DAY + 1, 101 * DAY)).toBe(false);
    expect(isBackfilled([ONE], "other", DAY, 101 * DAY)).toBe(false);
    const empty = { ...ONE, span: null };
    expect(isBackfilled([empty], "balance", DAY, 101 * DAY - 1)).toBe(true);
    expect(isBackfilled([empty], "balance", DAY, 101 * DAY)).toBe(false);
  });

  it("keeps the spans of which something is left in a window", () => {
    const next = { ...ONE, at: 200 * DAY, needMs: 30 * DAY };
    expect(withBackfill([ONE], next, 99 * DAY)).toEqual([ONE, next]);
    expect(withBackfill([ONE], next, 99 * DAY + 1)).toEqual([next]);
  });

  it("is dated now where the clock was set back, so that no later sample counts as a point", () => {
    const [back] = rewoundBackfills([ONE], 95 * DAY);
    expect(back?.span).toEqual({ first: 90 * DAY, last: 95 * DAY, spacingMs: DAY });
    expect(back?.at).toBe(95 * DAY);
    const same = [ONE];
    expect(rewoundBackfills(same, 100 * DAY)).toBe(same);
  });
});
