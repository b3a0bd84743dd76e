import { describe, expect, it } from "vitest";
import { countMessages } from "../../src/cli/backtest-messages.ts";
import type { AddressedNotice, Notice } from "../../src/model/index.ts";
import { noticeOf } from "../support/notices.ts";
import { setupOf } from "../support/world-setup.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = Date.parse("2026-11-20T00:00:00Z");
const NIGHT = { from: 22 * 60, to: 7 * 60, days: [0, 1, 2, 3, 4, 5, 6], timezone: "UTC" };

const setup = setupOf(`
rules:
  - {name: tvl, watch: {kind: gas, chain: ethereum}, when: {metric: avg_base_fee, above: 5gwei}}
  - {name: fee, watch: {kind: gas, chain: ethereum}, when: {metric: avg_base_fee, above: 9gwei}}
`);

const waiting = { ...setup, groupWaitMs: MINUTE };

let id = 0;
function told(rule: string, kind: Notice["kind"], at: number, to: string[]): AddressedNotice {
  id += 1;
  return {
    notice: noticeOf({ id: `n${id}`, kind, rule, subject: "gas:1", at }),
    channels: to,
  };
}

describe("the messages that each channel would have had", () => {
  it("are one for each notice, unless a digest joins them or a mute holds them back", async () => {
    const both = ["console", "slack"];
    const notices = [
      // Over before the night is: nobody is told of it on slack.
      told("tvl", "fired", DAY + 23 * HOUR, both),
      told("tvl", "resolved", DAY + 23 * HOUR + 30 * MINUTE, both),
      // It still fires in the morning.
      told("tvl", "fired", DAY + 27 * HOUR, both),
      // Two at once, of a rule without a mute.
      told("fee", "fired", DAY + 40 * HOUR, both),
      told("fee", "worse", DAY + 40 * HOUR, both),
    ];
    const rules = setup.rules.map((rule) =>
      rule.name === "tvl" ? { ...rule, mutes: new Map([["slack", [[NIGHT]]]]) } : rule,
    );
    const until = DAY + 48 * HOUR;
    const plain = await countMessages(notices, rules, waiting, new Set(), until);
    expect(plain).toEqual([
      { channel: "console", messages: 5, notices: 5, dropped: 0 },
      { channel: "slack", messages: 3, notices: 3, dropped: 2 },
    ]);
    const joined = await countMessages(notices, rules, waiting, new Set(["slack"]), until);
    expect(joined).toEqual([
      { channel: "console", messages: 5, notices: 5, dropped: 0 },
      { channel: "slack", messages: 2, notices: 3, dropped: 2 },
    ]);
  });
});
