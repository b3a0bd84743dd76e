import { describe, expect, it } from "vitest";
import { createLogger } from "../../src/base/log.ts";
import { FailureLog, type RecordTally } from "../../src/poll/tally.ts";

/** A round in which `answered` could be had and, for each reason, two could not. */
function tally(answered: number, ...reasons: ("timeout" | "network")[]): RecordTally {
  const failures = reasons.map((reason) => [reason, { count: 2, ask: "a", detail: "d" }] as const);
  return {
    answered,
    failed: reasons.length,
    detail: "d",
    chains: new Map(),
    reasons: new Map(failures),
  };
}

/** What is said of these rounds, one after the other. */
function said(rounds: readonly RecordTally[]): string[] {
  const lines: string[] = [];
  const write = (line: string): boolean => {
    const { level, msg, reason = "" } = JSON.parse(line) as Record<string, string>;
    lines.push(`${level} ${msg} ${reason}`.trim());
    return true;
  };
  const log = new FailureLog(createLogger({ level: "info", stream: { write } }));
  for (const one of rounds) log.observe(new Map([["v4_pool", one]]));
  return lines;
}

describe("the failure log", () => {
  it("says when a way of failing begins and when all is over, not in every round", () => {
    const rounds = [
      tally(4),
      tally(2, "timeout"),
      tally(2, "timeout"),
      tally(0, "timeout", "network"),
      tally(2, "network"),
      tally(2, "timeout"),
      tally(4),
      tally(4),
      tally(2, "network"),
    ];
    expect(said(rounds)).toEqual([
      "warn requests for records fail timeout",
      "warn requests for records fail network",
      "info requests for records are answered again",
      "warn requests for records fail network",
    ]);
  });

  it("is not misled by rounds of other rules, which ask for less", () => {
    const rounds = Array.from({ length: 20 }, () => [tally(1, "timeout"), tally(1)]).flat();
    expect(said([...rounds, tally(3)])).toEqual([
      "warn requests for records fail timeout",
      "info requests for records are answered again",
    ]);
  });

  it("takes for over what has not failed in a hundred rounds", () => {
    const fewer = Array.from({ length: 100 }, () => tally(1));
    expect(said([tally(5, "timeout"), ...fewer.slice(1)])).toHaveLength(1);
    expect(said([tally(5, "timeout"), ...fewer, tally(5, "timeout")])).toEqual([
      "warn requests for records fail timeout",
      "info requests for records are answered again",
      "warn requests for records fail timeout",
    ]);
  });
});
