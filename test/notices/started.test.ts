import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StartedEvent } from "../../src/decide/event.ts";
import { composeStarted } from "../../src/notices/started.ts";

const NONE = { firing: 0, quiet: 0, unknown: 0, withoutData: 0, unasked: 0 };

function startOf(more: Partial<StartedEvent> = {}): StartedEvent {
  return {
    at: Date.UTC(2026, 10, 28, 12),
    rules: 19,
    subjects: 27,
    fresh: [],
    changed: [],
    counts: { ...NONE, quiet: 30 },
    withoutData: { subjects: 0, names: [] },
    about: [],
    ...more,
  };
}

const headlineOf = (more: Partial<StartedEvent>): string => composeStarted(startOf(more)).headline;
const fieldsOf = (more: Partial<StartedEvent>): string[] =>
  composeStarted(startOf(more)).fields.map(({ name, value }) => `${name}: ${value}`);

describe("the headline of a start", () => {
  it("counts what is watched and names what is new and what was edited", () => {
    expect(headlineOf({ fresh: ["my-range"], changed: ["tip-spike"] })).toBe(
      "🔵 Watching 27 subjects with 19 rules; new: my-range, changed: tip-spike",
    );
    expect(headlineOf({ changed: ["tip-spike"] })).toBe(
      "🔵 Watching 27 subjects with 19 rules; changed: tip-spike",
    );
    expect(headlineOf({ rules: 1, subjects: 1, fresh: ["my-range"] })).toBe(
      "🔵 Watching 1 subject with 1 rule; new: my-range",
    );
  });

  it("leaves out names that have no room, never counts", () => {
    const fresh = Array.from({ length: 19 }, (_, i) => `rule-number-${i}`);
    expect(headlineOf({ fresh })).toBe(
      "🔵 Watching 27 subjects with 19 rules; new: rule-number-0 and 18 more",
    );
    expect(headlineOf({ fresh: ["n".repeat(60)], changed: ["c".repeat(60), "d"] })).toBe(
      "🔵 Watching 27 subjects with 19 rules; 1 new, 2 changed",
    );
  });

  it("is at most 80 characters long whatever the rules are called", () => {
    const names = fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 90 }));
    fc.assert(
      fc.property(names, names, fc.nat(1_000_000), (fresh, changed, subjects) => {
        fc.pre(fresh.length + changed.length > 0);
        const text = headlineOf({ fresh, changed, subjects });
        expect([...text].length).toBeLessThanOrEqual(80);
        expect(text).toContain(`Watching ${subjects} subject`);
      }),
    );
  });
});

describe("the notice of a start", () => {
  it("says what the alerts are in counts, and names only what has no value yet", () => {
    const counts = { firing: 2, quiet: 20, unknown: 3, withoutData: 2, unasked: 1 };
    expect(
      fieldsOf({
        fresh: ["a", "b"],
        changed: ["c"],
        counts,
        withoutData: { subjects: 2, names: ["Treasury", "Base"] },
      }),
    ).toEqual([
      "New: a, b",
      "Changed: c",
      "Now: 2 firing, 20 quiet, 3 not known yet, 2 without data yet, 1 not asked yet",
      "No data yet: Treasury, Base",
    ]);
  });

  it("is of no rule and no subject, and asks for nothing", () => {
    expect(composeStarted(startOf({ fresh: ["a"] }))).toMatchObject({
      kind: "started",
      severity: "info",
      rule: null,
      subject: null,
      link: null,
      values: [],
    });
  });

  it("keeps the text of hostile names on one line", () => {
    const evil = "<!channel>\n\u202Eevil\u200B";
    const { headline, fields } = composeStarted(
      startOf({ fresh: [evil], withoutData: { subjects: 1, names: [evil] } }),
    );
    for (const text of [headline, ...fields.map(({ value }) => value)]) {
      expect(text).not.toMatch(/[\n\u202E\u200B]/u);
    }
  });

  it("is the same notice whenever it is made of the same facts", () => {
    const one = startOf({ fresh: ["a"] });
    expect(composeStarted(one)).toEqual(composeStarted(startOf({ fresh: ["a"] })));
    expect(composeStarted(one).id).not.toBe(composeStarted(startOf({ fresh: ["b"] })).id);
  });
});
