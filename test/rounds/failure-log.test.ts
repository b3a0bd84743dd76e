import { describe, expect, it } from "vitest";
import { createLogger } from "../../src/base/log.ts";
import type { RecordTally } from "../../src/rounds/blind.ts";
import { FailureLog } from "../../src/rounds/failure-log.ts";

function tally(...reasons: ("timeout" | "network")[]): RecordTally {
  const failures = reasons.map((reason) => [reason, { count: 2, ask: "a", detail: "d" }] as const);
  return { answered: 0, failed: reasons.length, detail: "d", reasons: new Map(failures) };
}

describe("the failure log", () => {
  it("says when a way of failing begins and when all is over, not in every round", () => {
    const lines: string[] = [];
    const write = (line: string): boolean => {
      const { level, msg, reason = "" } = JSON.parse(line) as Record<string, string>;
      lines.push(`${level} ${msg} ${reason}`.trim());
      return true;
    };
    const log = new FailureLog(createLogger({ level: "info", stream: { write } }));
    const rounds = [
      tally(),
      tally("timeout"),
      tally("timeout"),
      tally("timeout", "network"),
      tally("network"),
      tally(),
      tally(),
    ];
    for (const one of rounds) log.observe(new Map([["v4_pool", one]]));
    expect(lines).toEqual([
      "warn records cannot be had timeout",
      "warn records cannot be had network",
      "info records can be had again",
    ]);
  });
});
