import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collapse } from "../../../src/delivery/suppress/collapse.ts";
import type { Notice } from "../../../src/model/index.ts";
import { noticeOf } from "../../support/notices.ts";
import { propertyRuns } from "../../support/tier.ts";

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 28, 12);

/** `fired` or, of gaps in its data, `flapping*`. */
function held(...kinds: string[]): Notice[] {
  return kinds.map((text, i) => {
    const kind = text.replace("*", "");
    return noticeOf({
      id: `${i}-${text}`,
      kind: kind as Notice["kind"],
      at: START + i * MINUTE,
      ...(text.endsWith("*") ? { gaps: true } : {}),
    });
  });
}

const told = (...kinds: string[]): string[] => {
  const notices = held(...kinds);
  const { keep, drop, add } = collapse(notices, "lp");
  expect(add).toEqual([]);
  expect([...keep, ...drop].toSorted()).toEqual(notices.map(({ id }) => id).toSorted());
  return keep.map((id) => id.replace("-", " "));
};

describe("what is left of an alert that was held back", () => {
  it.each<[string, string[], string[]]>([
    ["it fires", ["fired"], ["0 fired"]],
    ["it came and went", ["fired", "worse", "resolved"], []],
    ["it is over", ["resolved"], ["0 resolved"]],
    ["it is over after it got worse", ["worse", "reminder", "resolved"], ["2 resolved"]],
    ["it went and came again", ["resolved", "fired"], []],
    ["it went and came again, worse", ["resolved", "fired", "worse"], ["2 worse"]],
    ["it fires anew", ["fired", "resolved", "fired"], ["2 fired"]],
    [
      "it got worse thrice",
      ["fired", "worse", "reminder", "worse", "worse"],
      ["0 fired", "4 worse"],
    ],
    ["it got worse since it was told", ["worse", "reminder", "worse"], ["2 worse"]],
    ["it only went on", ["reminder", "reminder"], []],
    ["what was worse is over", ["worse", "resolved", "fired"], []],
    ["it is watched no more", ["reminder", "rule_removed"], ["1 rule_removed"]],
    ["nobody knew of it", ["fired", "rule_removed"], []],
    ["it began to flap", ["fired", "resolved", "fired", "resolved", "flapping"], ["4 flapping"]],
    ["it flapped and settled well", ["fired", "resolved", "flapping", "resolved"], []],
    ["it flapped and fires on", ["fired", "resolved", "flapping", "steady"], ["3 steady"]],
    ["it flaps, and they know it fires", ["resolved", "fired", "flapping"], ["2 flapping"]],
    ["it flaps on", ["flapping", "flapping"], ["1 flapping"]],
    ["they may know that it flaps", ["flapping", "resolved"], ["1 resolved"]],
    ["they may not know that it fires", ["flapping", "resolved", "fired"], ["2 fired"]],
    ["it flaps, however bad it was", ["worse", "flapping"], ["1 flapping"]],
    ["it flaps no more", ["steady", "worse"], ["0 steady", "1 worse"]],
    ["ends are not told of it", ["reminder", "fired"], ["1 fired"]],
    ["ends are not told of it", ["fired", "fired", "worse"], ["1 fired", "2 worse"]],
    ["ends are not told of it", ["fired", "worse", "fired"], ["2 fired"]],
    ["its data is gone", ["no_data"], ["0 no_data"]],
    ["its data was gone", ["no_data", "data_back"], []],
    ["its data is back", ["data_back"], ["0 data_back"]],
    ["its data was back", ["data_back", "no_data"], []],
    ["its data comes and goes", ["no_data", "data_back", "flapping*"], ["2 flapping*"]],
    ["its data stays away", ["flapping*", "steady*"], ["1 steady*"]],
    ["they may not know that it is gone", ["flapping*", "data_back", "no_data"], ["2 no_data"]],
    ["its data is well again", ["flapping*", "data_back"], ["1 data_back"]],
    ["both", ["fired", "no_data", "data_back", "resolved", "no_data"], ["4 no_data"]],
    ["both", ["no_data", "fired", "flapping*"], ["1 fired", "2 flapping*"]],
    ["of the removed no data matters", ["reminder", "no_data", "rule_removed"], ["2 rule_removed"]],
    ["a start", ["started"], ["0 started"]],
    ["the last baseline", ["baseline", "baseline"], ["1 baseline"]],
    ["one event", ["changed"], ["0 changed"]],
  ])("%s: of %j %j", (_, kinds, expected) => {
    expect(told(...kinds)).toEqual(expected);
  });

  it("does not say that data is back to whom nobody said that it was gone", () => {
    const [fired, back, over] = held("fired", "data_back", "resolved");
    if (fired === undefined || back === undefined || over === undefined) throw new Error("none");
    // It fired for want of data, as `on_missing: fire` asks for.
    const noData = { ...fired, values: [] };
    expect(collapse([noData, back], "lp").keep).toEqual([noData.id, back.id]);
    expect(collapse([noData, back, over], "lp").keep).toEqual([]);
    expect(collapse([fired, back, over], "lp").keep).toEqual([back.id]);
    // What is gone later says nothing of what was told before.
    expect(collapse([back, noData, over], "lp").keep).toEqual([back.id]);
  });
});

describe("events that were held back", () => {
  const event = (i: number, more: Partial<Notice> = {}): Notice =>
    noticeOf({
      id: `e${i}`,
      kind: "changed",
      at: START + i * MINUTE,
      headline: `🔵 Owner changed: Treasury. 0x${i} → 0x${i + 1}`,
      fields: [{ name: "Chain", value: "Ethereum" }],
      values: noticeOf().values.map((value) => ({ ...value, value: `${i + 1}`, base: `${i}` })),
      ...more,
    });

  it("are one that counts them, with the first and the last", () => {
    const events = [event(1), event(2), event(3)];
    const { keep, drop, add } = collapse(events, "lp");
    expect([keep, drop]).toEqual([[], ["e1", "e2", "e3"]]);
    expect(add).toEqual([
      {
        ...event(3),
        id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
        headline: "🔵 3 times, last: Owner changed: Treasury. 0x3 → 0x4",
        fields: [
          { name: "Times", value: "3" },
          { name: "First", value: "2026-11-28 12:01 UTC: Owner changed: Treasury. 0x1 → 0x2" },
          { name: "Last", value: "2026-11-28 12:03 UTC: Owner changed: Treasury. 0x3 → 0x4" },
          { name: "Chain", value: "Ethereum" },
        ],
        values: [expect.objectContaining({ base: "1", value: "4" })],
      },
    ]);
    expect(collapse(events, "lp").add).toEqual(add);
    expect(collapse(events, "mail").add[0]?.id).not.toBe(add[0]?.id);
  });

  it("count on when they are held back again", () => {
    const [once] = collapse([event(1), event(2), event(3)], "lp").add;
    if (once === undefined) throw new Error("none");
    const [twice] = collapse([once, event(4)], "lp").add;
    expect(twice?.fields.map(({ value }) => value).slice(0, 1)).toEqual(["4"]);
    expect(twice?.fields.filter(({ name }) => name === "Times")).toHaveLength(1);
    expect(twice?.headline).toBe("🔵 4 times, last: Owner changed: Treasury. 0x4 → 0x5");
  });

  describe("that are entries of a stream", () => {
    const usd = { metric: "amount_usd", decimals: null, unit: "" };
    const swap = (i: number, dollars: string, more: Partial<Notice> = {}): Notice =>
      event(i, {
        label: "ETH/USDC 0.05%",
        headline: `🔵 Swap of $${dollars}: ETH/USDC 0.05%`,
        values: noticeOf().values.map((value) => ({
          ...value,
          metric: "amount_usd",
          quantity: "usd",
          value: dollars,
        })),
        entries: {
          count: 1,
          since: START + i * MINUTE,
          noun: "swaps",
          amount: { ...usd, largest: dollars, sum: dollars },
        },
        ...more,
      });
    const onlyOne = (...swaps: Notice[]): Notice => {
      const [one] = collapse(swaps, "lp").add;
      if (one === undefined) throw new Error("none");
      return one;
    };

    it("are told with the largest and the sum, as what a cooldown held", () => {
      const one = onlyOne(swap(0, "600000"), swap(20, "1200000"), swap(60, "300000"));
      expect(one.headline).toBe("🔵 3 swaps in 1 h: ETH/USDC 0.05%, largest $1.2M, together $2.1M");
      expect(one.fields.slice(0, 2)).toEqual([
        { name: "Times", value: "3" },
        { name: "Amounts", value: "largest $1.2M, together $2.1M" },
      ]);
    });

    it("count what a cooldown, or a silence before, had held together", () => {
      const amount = { ...usd, largest: "-900000", sum: "100000" };
      const cooled = swap(5, "400000", {
        entries: { count: 4, since: START + 3 * MINUTE, noun: "swaps", amount },
      });
      const once = onlyOne(swap(0, "100000"), cooled);
      expect(once.headline).toBe(
        "🔵 5 swaps in 5 min: ETH/USDC 0.05%, largest -$900,000, together $200,000",
      );
      const twice = onlyOne(once, swap(60, "300000"));
      expect(twice.headline).toMatch(
        /^🔵 6 swaps in 1 h: .*, largest -\$900,000, together \$500,000$/,
      );
      expect(twice.fields.filter(({ name }) => name === "Amounts")).toHaveLength(1);
    });

    it("are not added up where an amount is not known, or of another metric", () => {
      const known = { count: 1, since: START + 60 * MINUTE, noun: "swaps" };
      const share = { ...usd, metric: "removed_share", largest: "0.2", sum: "0.2" };
      for (const entries of [known, { ...known, amount: share }]) {
        const one = onlyOne(swap(0, "600000"), swap(60, "1200000", { entries }));
        expect(one.headline).toBe("🔵 2 swaps in 1 h: ETH/USDC 0.05%");
        expect(one.fields.map(({ name }) => name)).not.toContain("Amounts");
      }
    });
  });

  it("have a headline that fits and cuts no number", () => {
    const long = "Swap 1,234,567.89 USDC for 480.25 ETH: A name of a pool that goes on and on";
    for (const headline of [`🟠 ${long}`, `🟠 ${long}. Limit 1M`, `${long}${long}`]) {
      const [one] = collapse([event(1), event(2, { headline, rule: "x".repeat(90) })], "lp").add;
      expect([...(one?.headline ?? "")].length).toBeLessThanOrEqual(80);
      expect(one?.headline).toMatch(/^(🟠 )?2 times: x+…$/);
    }
  });
});

/** An alert as the engine has it, and what it tells of it: one step a round. */
interface Life {
  fires: boolean;
  blind: boolean;
  flaps: boolean;
  worse: number;
}

const STEPS = ["turn", "turn", "worse", "remind", "gap", "flap", "settle"] as const;

function step(life: Life, what: (typeof STEPS)[number]): string[] {
  switch (what) {
    case "turn":
      life.fires = !life.fires;
      life.worse = 0;
      if (life.flaps) return [];
      return [life.fires ? "fired" : "resolved"];
    case "worse":
      if (!life.fires || life.flaps) return [];
      life.worse += 1;
      return ["worse"];
    case "remind":
      return life.fires && !life.flaps ? ["reminder"] : [];
    case "gap":
      life.blind = !life.blind;
      return [life.blind ? "no_data" : "data_back"];
    case "flap":
      if (life.flaps || life.fires) return [];
      life.flaps = true;
      life.fires = true;
      return ["flapping"];
    case "settle":
      if (!life.flaps) return [];
      life.flaps = false;
      return [life.fires ? "steady" : "resolved"];
  }
}

/** What whoever reads all of the notices believes. */
function hear(view: Life, { kind }: Notice): void {
  if (kind === "fired" || kind === "resolved") view.worse = 0;
  if (kind === "fired" || kind === "steady") [view.fires, view.flaps] = [true, false];
  if (kind === "flapping") view.flaps = true;
  if (kind === "resolved") [view.fires, view.flaps] = [false, false];
  if (kind === "no_data" || kind === "data_back") view.blind = kind === "no_data";
  if (kind === "worse") view.worse += 1;
}

describe("whatever an alert does while it is held back now and then", () => {
  it("the channel knows afterwards what is, hears nothing twice and all in order", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ what: fc.constantFrom(...STEPS), silent: fc.boolean() }), {
          maxLength: 40,
        }),
        (steps) => {
          const life: Life = { fires: false, blind: false, flaps: false, worse: 0 };
          const view: Life = { ...life };
          const heard: number[] = [];
          let back: Notice[] = [];
          const letGo = (): void => {
            const { keep, drop } = collapse(back, "lp");
            expect(keep.length + drop.length).toBe(back.length);
            for (const notice of back.filter(({ id }) => keep.includes(id))) {
              if (notice.kind === "fired") expect(view.fires && !view.flaps).toBe(false);
              if (notice.kind === "no_data") expect(view.blind).toBe(false);
              if (notice.kind === "data_back") expect(view.blind).toBe(true);
              hear(view, notice);
              heard.push(notice.at);
            }
            back = [];
            expect(view.blind).toBe(life.blind);
            if (life.flaps) expect(view.flaps).toBe(true);
            // That it went and came again is not told, neither to those who knew that it flapped.
            else if (!life.fires) expect(view.flaps).toBe(false);
            if (!life.flaps && !view.flaps) {
              expect(view.fires).toBe(life.fires);
              // Of a firing that went and came again they know how bad the one before was.
              if (life.worse > 0) expect(view.worse).toBeGreaterThan(0);
            }
          };
          for (const [at, { what, silent }] of steps.entries()) {
            for (const kind of step(life, what)) {
              back.push(noticeOf({ id: `${at}`, kind: kind as Notice["kind"], at }));
            }
            if (!silent) letGo();
          }
          letGo();
          expect(heard).toEqual([...new Set(heard)].toSorted((a, b) => a - b));
        },
      ),
      { numRuns: propertyRuns(1_000) },
    );
  });
});
