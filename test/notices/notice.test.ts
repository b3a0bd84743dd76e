import { describe, expect, it, vi } from "vitest";
import type { Evidence } from "../../src/decide/verdict.ts";
import type { Comparison, Notice, Quantity } from "../../src/model/index.ts";
import { composeAlert, composePlain, composeRemoved, noticeId } from "../../src/notices/notice.ts";
import { loadTemplates } from "../../src/notices/template/library.ts";
import {
  AT,
  alertOf,
  changes,
  compares,
  d,
  described,
  eventOf,
  evidenceOf,
  RANGE,
  ruleOf,
  subjectOf,
} from "./notice-events.ts";

const MINUTE = 60_000;
const TIP = compares("above", "tip_top10", d("5_000_000_000"), "5 gwei");

function textOf(notice: Notice): string {
  return notice.fields.map(({ name, value }) => `${name}: ${value}`).join("\n");
}

describe("a notice about an alert", () => {
  it("has the facts in reading order, with the digits that somebody needs", () => {
    const evidence = evidenceOf(TIP, "wei", "tip (top 10%)", d("7412345678"), {
      limits: [d("5000000000")],
    });
    const rule = ruleOf(TIP, {
      forMs: 5 * MINUTE,
      title: "Tip spike",
      note: "Wait.",
      labels: { a: "b" },
    });
    const bucket = { start: Date.UTC(2026, 10, 27, 14), ms: 60 * MINUTE };
    const description = described("Ethereum", { link: "https://etherscan.io" });
    const notice = composeAlert(eventOf("fired", evidence, { rule, bucket, description }), [
      "1",
      "2",
    ]);
    expect(textOf(notice)).toBe(
      [
        "Tip (top 10%): 7.41 gwei",
        "Limit: above 5 gwei",
        "Since: 2026-11-27 15:06 UTC, held for 5 min before",
        "Bucket: 2026-11-27, 14:00-15:00 UTC",
        "Chain: Ethereum",
        "Rule: my-rule",
        "Severity: warning",
      ].join("\n"),
    );
    expect(notice).toMatchObject({
      kind: "fired",
      severity: "warning",
      rule: "my-rule",
      subject: "v4_pool:1:0x21c6",
      at: AT,
      title: "Tip spike",
      note: "Wait.",
      link: "https://etherscan.io",
      range: null,
      recent: ["1", "2"],
      labels: { a: "b" },
    });
  });

  it("shows what a change was measured against", () => {
    const falls = changes("falls", "tvl_usd", { kind: "percent", percent: d("10"), text: "10%" });
    const evidence = evidenceOf(falls, "usd", "TVL", d("18_700_000.01"), {
      base: d("22_800_000"),
      baseAt: AT - 60 * MINUTE,
    });
    const when = {
      op: "all",
      terms: [falls, compares("below", "tvl_usd", d("1"), "1 usd")],
    } as const;
    const rule = ruleOf(when);
    expect(textOf(composeAlert(eventOf("fired", evidence, { rule }), []))).toContain(
      [
        "TVL: $18.7M",
        "Limit: falls 10% in 1 h",
        "Before: $22.8M at 2026-11-27 14:06 UTC",
        "Change: -$4.1M (-18%)",
        "Condition: all of (tvl_usd falls 10% in 1 h; tvl_usd below 1 usd)",
      ].join("\n"),
    );
  });

  it("writes what was before and the change like the value, and percentages of percentages in points", () => {
    const shown = (
      comparison: Comparison,
      quantity: Quantity,
      value: string,
      base: string,
      more: Partial<Evidence> = {},
    ): string => {
      const evidence = evidenceOf(comparison, quantity, "value", d(value), {
        base: d(base),
        ...more,
      });
      return textOf(composeAlert(eventOf("changed", evidence, { rule: ruleOf(comparison) }), []));
    };
    const rises = changes("rises", "fee", { kind: "percent", percent: d("10"), text: "10%" });
    expect(shown(rises, "ratio", "0.951234", "0.5")).toContain("Change: +45.12 points (+90%)");
    // A distance from an edge has no share of another.
    expect(shown(rises, "percent", "0.995", "-2.16")).toMatch(/Change: \+3\.16 points$/m);
    expect(shown(rises, "fee", "3000", "500")).toContain("Change: +0.25 points (+500%)");
    for (const [value, base] of [
      ["8388608", "3000"],
      ["3000", "8388608"],
    ] as const) {
      const text = shown(rises, "fee", value, base);
      expect(text).toContain("dynamic");
      expect(text).not.toContain("Change");
    }
    const above = compares("above", "fee", d("2500"), "25 bps");
    const bps = shown(above, "fee", "3000", "500", { limits: [d("2500")] });
    expect(bps).toContain("Before: 5 bps");
    expect(bps).toContain("Change: +25 bps (+500%)");
    const below = compares("below", "tvl_usd", d("1000000"), "$1m");
    const money = shown(below, "usd", "999999.99", "999999.99", { limits: [d("1000000")] });
    expect(money).toContain("Before: $999,999.99");
  });

  it("says why there is no data where a rule fires for that", () => {
    const more = { about: "firings", held: null, still: null, byMissing: true } as const;
    const event = eventOf("fired", null, { trouble: "tvl_usd is null", more });
    expect(textOf(composeAlert(event, []))).toMatch(/^Reason: tvl_usd is null$/m);
    expect(
      textOf(composeAlert({ ...event, more: { ...more, byMissing: false } }, [])),
    ).not.toContain("Reason");
  });

  it("shows a position's range, ticks and holdings, and how long it fired", () => {
    const out = compares("equals", "in_range", false, "false");
    const evidence = evidenceOf(out, "boolean", "in range", true, { limits: [false] });
    const description = described("Treasury", { range: RANGE });
    const notice = composeAlert(eventOf("resolved", evidence, { description }), []);
    expect(textOf(notice)).toContain(
      [
        "In range: yes",
        "Fires when: not in range",
        "Fired: 2026-11-27 11:54 UTC",
        "Resolved: 2026-11-27 15:06 UTC, after 3 h 12 m",
        "Price: 2,310 USDC per ETH",
        "Range: 2,050 to 2,250 USDC per ETH",
        "Tick: -198,870, range -200,060 to -199,130",
        "Holds: all USDC",
      ].join("\n"),
    );
    expect(notice.range).toEqual(RANGE);
  });

  it("does not say what a closed position holds", () => {
    const evidence = evidenceOf(
      compares("equals", "in_range", false),
      "boolean",
      "in range",
      false,
    );
    const description = described("Treasury ETH/USDC", { range: RANGE });
    const event = eventOf("resolved", evidence, { description, closed: true });
    expect(textOf(composeAlert(event, []))).not.toContain("Holds");
  });

  it("tells an event with what was before", () => {
    const event = { op: "changes", metric: "owner" } as const;
    const [was, is] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`];
    const evidence = evidenceOf(event, "address", "owner", is, { base: was });
    expect(textOf(composeAlert(eventOf("changed", evidence), []))).toBe(
      [
        `Owner: ${is}`,
        "Event: changes",
        `Before: ${was}`,
        "At: 2026-11-27 15:06 UTC",
        "Chain: Ethereum",
        "Rule: my-rule",
        "Severity: warning",
      ].join("\n"),
    );
  });

  it("names the one of several subjects that it looks at", () => {
    const evidence = evidenceOf(TIP, "wei", "tip (top 10%)", d("7e9"), { limits: [d("5e9")] });
    const rule = ruleOf(TIP, { across: "min" });
    expect(textOf(composeAlert(eventOf("fired", evidence, { rule }), []))).toContain(
      "Lowest tip (top 10%): 7 gwei",
    );
  });

  it("has what was compared as exact values for programs", () => {
    const falls = changes("falls", "amount1", { kind: "percent", percent: d("10"), text: "10%" });
    const evidence = evidenceOf(falls, "raw(token1)", "reserve", d("1e30"), {
      base: d("115792089237316195423570985008687907853"),
      baseAt: AT - MINUTE,
    });
    const description = described("ETH/USDC 0.05%", { unit: () => "USDC" });
    const event = eventOf("fired", evidence, { description, decimals: () => 6 });
    expect(composeAlert(event, []).values).toEqual([
      {
        subject: "v4_pool:1:0x21c6",
        metric: "amount1",
        quantity: "raw(token1)",
        value: "1000000000000000000000000000000",
        decimals: 6,
        unit: "USDC",
        op: "falls",
        limits: [],
        base: "115792089237316195423570985008687907853",
        baseAt: AT - MINUTE,
      },
    ]);
    const level = evidenceOf(TIP, "wei", "tip", d("7412345678.5"), { limits: [d("5e9")] });
    expect(composeAlert(eventOf("fired", level, { decimals: () => 18 }), []).values).toMatchObject([
      { value: "7412345678.5", limits: ["5000000000"], decimals: null, base: null, op: "above" },
    ]);
    expect(composeAlert(eventOf("no_data", null), []).values).toEqual([]);
  });

  it("says why there is no data", () => {
    const missing = { since: AT - 15 * MINUTE, rounds: 15, told: true };
    const after = alertOf({ state: "firing", missing });
    const event = eventOf("no_data", null, { after, trouble: "timeout: no answer in 10 s" });
    expect(textOf(composeAlert(event, []))).toContain(
      [
        "Reason: timeout: no answer in 10 s",
        "No data since: 2026-11-27 14:51 UTC, 15 min",
        "Alert: firing",
      ].join("\n"),
    );
  });

  it("tells what happened where the library of templates is missing", async () => {
    vi.resetModules();
    const { templates } = await import("../../src/notices/template/library.ts");
    expect(templates()).toBeNull();
    const anew = await import("../../src/notices/notice.ts");
    const rule = ruleOf(TIP, { title: "Tip {{ value }}", note: "Runbook: wiki/gas" });
    const evidence = evidenceOf(TIP, "wei", "tip (top 10%)", d("7412345678"));
    expect(anew.composeAlert(eventOf("fired", evidence, { rule }), [])).toMatchObject({
      headline: expect.stringContaining("7.41 gwei"),
      title: "(this text could not be rendered: templates are not loaded)",
      note: "Runbook: wiki/gas",
    });
  });

  it("keeps a text that names what is no fact, and leaves out one that lacks its facts", async () => {
    await loadTemplates();
    const texts = { title: "Tip {{ value }}", note: "{{ valeu }} Runbook: wiki/gas" };
    const rule = ruleOf(TIP, texts);
    const evidence = evidenceOf(TIP, "wei", "tip (top 10%)", d("7412345678"));
    const fired = composeAlert(eventOf("fired", evidence, { rule }), []);
    expect(fired).toMatchObject({ title: "Tip 7.41 gwei", note: "Runbook: wiki/gas" });
    const plain = composePlain(eventOf("fired", evidence, { rule }));
    expect(plain).toMatchObject({ title: null, note: "Runbook: wiki/gas" });
  });

  it("keeps hostile text on one line, visible and short", () => {
    const evil = `<!channel>\n\u202Eevil\u200B${"x".repeat(5_000)}`;
    const evidence = evidenceOf(compares("equals", "symbol", evil, evil), "text", evil, evil);
    const description = described(evil, { unit: () => evil, chain: evil });
    const rule = ruleOf(evidence.comparison, { title: evil, note: evil, name: evil });
    const { fields, title, note, headline } = composeAlert(
      eventOf("fired", evidence, { rule, description, trouble: evil }),
      [],
    );
    const texts = [headline, title ?? "", note ?? "", ...fields.flatMap((f) => [f.name, f.value])];
    for (const text of texts) {
      expect(text).not.toMatch(/[\p{Cc}\u202e\u200b]/u);
      expect([...text].length).toBeLessThanOrEqual(1_000);
    }
    for (const { value } of fields) expect([...value].length).toBeLessThanOrEqual(300);
  });

  it("takes recent values only if they are numbers, at least two, at most 48", () => {
    const recent = (values: readonly string[]): readonly string[] =>
      composeAlert(eventOf("fired", null), values).recent;
    expect(recent(["1"])).toEqual([]);
    expect(recent(["1", "above", "2"])).toEqual(["1", "2"]);
    expect(recent(Array.from({ length: 60 }, (_, i) => String(i)))).toHaveLength(48);
  });
});

describe("a notice's id", () => {
  it("is made of kind, rule, subject and date alone", () => {
    const id = noticeId("fired", "r", "s", 1);
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(noticeId("fired", "r", "s", 1)).toBe(id);
    const others = [
      noticeId("resolved", "r", "s", 1),
      noticeId("fired", "r2", "s", 1),
      noticeId("fired", "r", "s2", 1),
      noticeId("fired", "r", null, 1),
      noticeId("fired", "r", "s", 2),
      noticeId("fired", "rs", "", 1),
    ];
    expect(new Set([id, ...others]).size).toBe(7);
  });

  it("is the same however often the same event is told", () => {
    const event = eventOf("fired", null);
    expect(composeAlert(event, [])).toEqual(composeAlert(event, []));
  });
});

describe("a notice that an alert is no longer watched", () => {
  const removed = {
    was: "firing",
    rule: "my-rule",
    subject: subjectOf().key,
    at: AT,
    severity: "critical",
  } as const;

  it("names the subject and the rule", () => {
    expect(composeRemoved({ ...removed, label: "ETH/USDC 0.05%" })).toMatchObject({
      kind: "rule_removed",
      severity: "critical",
      rule: "my-rule",
      subject: removed.subject,
      headline: "⚪ No longer watched: ETH/USDC 0.05%. It was firing (rule my-rule)",
    });
  });

  it("says of one that did not fire that it had no data", () => {
    const withoutData = { ...removed, was: "without data", label: "ETH/USDC" } as const;
    expect(composeRemoved(withoutData).headline).toBe(
      "⚪ No longer watched: ETH/USDC. It had no data (rule my-rule)",
    );
  });

  it("falls back on the subject's key", () => {
    expect(composeRemoved({ ...removed, label: null }).headline).toContain("v4_pool:1:0x21c6");
  });
});
