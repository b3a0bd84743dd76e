import { describe, expect, it } from "vitest";
import type { WatchKind } from "../../src/kinds/kind.ts";
import { v4Pool } from "../../src/kinds/v4-pool.ts";
import type { Ask, RawRecord, Subject } from "../../src/model/index.ts";
import { Given } from "../../src/replay/given.ts";
import type { Moment, SubjectGiven } from "../../src/replay/rule-test.ts";

const SUBJECT: Subject = { key: "swaps:1:0xab", kind: "swaps", chainId: 1, ids: {}, name: null };
const page = (offset: number): Ask => ({
  key: `swap:1:0xab:${offset}`,
  record: "v4_swap",
  chainId: 1,
  id: "0xab",
  limit: 2,
  offset,
});

/** A kind of lists that come in pages. */
const LISTS: WatchKind = { ...v4Pool, follow: () => [] };

function given(moments: readonly Moment[], record: Ask["record"] = "v4_swap"): Given {
  const kind: WatchKind = {
    ...LISTS,
    stream: record === "holder" ? "whole" : "grows",
    records: [record],
    asks: () => [{ ...page(0), record }],
  };
  const one: SubjectGiven = {
    subject: SUBJECT,
    kind,
    name: "Pool",
    series: [],
    records: new Map([[record, moments]]),
  };
  return new Given([one], () => {});
}

const at = (elapsed: number) => ({ elapsed, date: elapsed, serviceDate: elapsed });
const entries = (time: number, ...ids: string[]): Moment => ({
  at: time,
  change: { kind: "entries", entries: ids.map((id): RawRecord => ({ id })) },
});

/** The ids of the entries that an ask is answered with. */
function idsOf(source: Given, ask: Ask, elapsed: number): unknown {
  const [answer] = source.answers([ask], at(elapsed));
  return answer?.status === "ok" ? answer.records.map(({ id }) => id) : answer?.status;
}

describe("lists that a case gives", () => {
  it("grow with time where they are followed, newest first and page by page", () => {
    const source = given([entries(10, "b", "a"), entries(20, "c"), entries(30, "e", "d")]);
    expect(idsOf(source, page(0), 0)).toEqual([]);
    expect(idsOf(source, page(0), 10)).toEqual(["b", "a"]);
    expect(idsOf(source, page(0), 20)).toEqual(["c", "b"]);
    expect(idsOf(source, page(0), 30)).toEqual(["e", "d"]);
    expect(idsOf(source, page(2), 30)).toEqual(["c", "b"]);
    expect(idsOf(source, page(4), 30)).toEqual(["a"]);
    expect(idsOf(source, page(6), 30)).toEqual([]);
  });

  it("replace each other where they are not", () => {
    const source = given([entries(10, "b", "a"), entries(20, "c")], "holder");
    const list: Ask = { ...page(0), record: "holder" };
    expect(idsOf(source, list, 0)).toBe("absent");
    expect(idsOf(source, list, 15)).toEqual(["b", "a"]);
    expect(idsOf(source, list, 20)).toEqual(["c"]);
  });

  it("fail, and come back as they were", () => {
    const source = given([
      entries(10, "a"),
      { at: 20, change: { kind: "failed" } },
      { at: 30, change: { kind: "fields", fields: {} } },
    ]);
    expect(idsOf(source, page(0), 25)).toBe("failed");
    expect(idsOf(source, page(0), 30)).toEqual(["a"]);
  });
});
