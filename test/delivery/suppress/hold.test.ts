import { describe, expect, it } from "vitest";
import { holdsOf } from "../../../src/delivery/suppress/hold.ts";
import type { Silence } from "../../../src/model/index.ts";
import { noticeOf } from "../../support/notices.ts";

const KEY = "v4_position:1:dexa:42";
const silence: Silence = {
  id: 1,
  rule: "my-range",
  subjects: [KEY],
  labels: { team: "lp" },
  startsAt: 0,
  endsAt: 500,
  author: "anna",
  comment: null,
  createdAt: 0,
};
const lp = { labels: { team: "lp" } };

/** One `started` for all of these rules. */
const startOf = (...rules: string[]) => ({
  kind: "started" as const,
  rule: null,
  subject: null,
  about: rules.map((rule) => ({ rule, ...lp })),
});

describe("a silence", () => {
  const whole = { ...silence, id: 3, subjects: null, endsAt: 300 };
  const some = [silence, { ...silence, id: 2, endsAt: 400 }];
  const holds = holdsOf("lp", some, () => undefined, 100);
  const ofAll = holdsOf("lp", [...some, whole], () => undefined, 100);

  it.each([
    ["all that is given fits", { ...lp, subject: KEY }, 400],
    ["a label is missing", { labels: {}, subject: KEY }, null],
    ["a label is another", { labels: { team: "ops" }, subject: KEY }, null],
    ["there are more labels", { labels: { team: "lp", more: "x" }, subject: KEY }, 400],
    ["the subject is another", { ...lp, subject: "v4_position:1:dexa:7" }, null],
    ["it is the start of the rule", { ...lp, subject: null }, null],
    ["the rule is another", { ...lp, subject: KEY, rule: "other" }, null],
    ["it is of no rule", { ...lp, subject: KEY, rule: null }, null],
    ["it is a start of this rule", startOf("my-range"), 300],
    ["it is a start of this rule and others", startOf("my-range", "other"), null],
    ["it is a start that is about none", startOf(), null],
  ])("where %s", (_, notice, until) => {
    const all = "about" in notice ? ofAll : holds;
    expect(all.until(noticeOf(notice))).toBe(until);
  });

  it("of all rules holds back nothing that is of no rule", () => {
    const any = { ...silence, rule: null, subjects: null, labels: {} };
    const ofAny = holdsOf("lp", [any], () => undefined, 100);
    expect(ofAny.until(noticeOf({ kind: "fired" }))).toBe(500);
    expect(ofAny.until(noticeOf({ kind: "self", rule: null, subject: null }))).toBe(null);
  });
});
