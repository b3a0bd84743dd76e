import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { Decimal, parseDecimal } from "../../../src/base/decimal.ts";
import { ExactNumber } from "../../../src/notices/template/exact.ts";
import {
  checkTemplate,
  renderTemplate,
  templateNames,
} from "../../../src/notices/template/template.ts";
import { cpuMsSince } from "../../support/cpu.ts";
import { propertyRuns } from "../../support/tier.ts";

const exact = (text: string): ExactNumber => {
  const number = parseDecimal(text);
  if (number === null) throw new Error(`${text} is no number`);
  return new ExactNumber(number);
};
const render = (text: string, facts: Readonly<Record<string, unknown>> = {}): string =>
  renderTemplate(text, facts, 1_000);

/** A text that is made longer sixty times by one filter. */
const grows = (first: string, filters: string): string =>
  `{% assign a = ${first} %}{% for i in (1..60) %}{% assign a = a | ${filters} %}{% endfor %}{{ a }}`;
const LONG = "{% capture s %}{% for i in (1..2000) %}          {% endfor %}x{% endcapture %}";

const MOST = (2n ** 256n - 1n).toString();

describe("a template", () => {
  it("prints every digit of an exact number", () => {
    expect(render("{{ exact.value }}", { exact: { value: exact(MOST) } })).toBe(MOST);
    expect(render("{{ v }}", { v: exact("0.000000000000000001") })).toBe("0.000000000000000001");
  });

  it("computes with every digit", () => {
    const facts = { v: exact(MOST), w: MOST };
    expect(render("{{ v | minus: 1 }}", facts)).toBe((2n ** 256n - 2n).toString());
    expect(render("{{ w | times: 3 }}", facts)).toBe(((2n ** 256n - 1n) * 3n).toString());
    expect(render("{{ 0.1 | plus: 0.2 }}")).toBe("0.3");
    expect(render("{{ 10 | divided_by: 4 }} {{ -7 | modulo: 3 }}")).toBe("2.5 -1");
    expect(render("{{ -1.5 | floor }} {{ -1.5 | ceil }} {{ 1.25 | round: 1 }}")).toBe("-2 -1 1.3");
    expect(render("{{ -2 | abs }} {{ 2 | at_least: 3 }} {{ 2 | at_most: 1 }}")).toBe("2 3 1");
    expect(render("{{ 1234567.5 | group }}")).toBe("1,234,567.5");
  });

  it("compares by value and not by text, on both sides", () => {
    const facts = { v: exact(MOST), small: exact("9") };
    const truth = (condition: string): string =>
      render(`{% if ${condition} %}yes{% endif %}`, facts);
    for (const condition of ["v > small", "small < v", "small < 10", "10 > small", "small == 9"]) {
      expect([condition, truth(condition)]).toEqual([condition, "yes"]);
    }
    for (const condition of ["small > v", "small > 10", "small > 'x'", "small == 'x'"]) {
      expect([condition, truth(condition)]).toEqual([condition, ""]);
    }
  });

  it("adds and subtracts what a reference on whole numbers says", () => {
    const number = fc.bigInt({ min: -(2n ** 255n), max: 2n ** 256n - 1n });
    fc.assert(
      fc.property(number, number, (a, b) => {
        const facts = { a: new ExactNumber(new Decimal(a, 0)), b: b.toString() };
        expect(render("{{ a | plus: b }} {{ a | minus: b }}", facts)).toBe(`${a + b} ${a - b}`);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it("leaves a text without braces as it is, and what is not known empty", () => {
    expect(render("50% of {a} }} 100")).toBe("50% of {a} }} 100");
    expect(render("a {{ nobody.knows }} b")).toBe("a b");
  });

  it("says in its place that it failed, and never throws", () => {
    expect(render("{{ 'x' | plus: 1 }}")).toBe(
      "(this text could not be rendered: plus needs a number)",
    );
    expect(render("{{ 1 | divided_by: 0 }}")).toContain("divided_by zero");
    expect(render("{{ 'now' | date: '%Y' }}")).toContain("date takes a time of the notice");
  });

  it.each([
    ["a long loop", "{% for i in (1..100000000) %}x{% endfor %}"],
    ["loops in loops", "{% for i in (1..9999) %}{% for j in (1..9999) %}x{% endfor %}{% endfor %}"],
    [
      "products of products",
      "{% assign x = 99 %}{% for i in (1..64) %}{% assign x = x | times: x %}{% endfor %}{{ x }}",
    ],
    [
      "a text that doubles",
      "{% assign x = 'ab' %}{% for i in (1..64) %}{% assign x = x | append: x %}{% endfor %}",
    ],
    [
      "captures that double",
      `{% capture a %}xxxxxxxxxx{% endcapture %}${"{%capture a%}{{a}}{{a}}{%endcapture%}".repeat(40)}`,
    ],
    [
      "a loop of captures",
      "{%capture a%}x{%endcapture%}{%for i in (1..60)%}{%capture a%}{{a}}{{a}}{%endcapture%}{%endfor%}",
    ],
    ["a list that doubles", grows("'x,y' | split: ','", "concat: a")],
    ["a list in a list", grows("'x,y' | split: ','", "push: a")],
    ["a list that is joined and split", grows("'x y'", "append: a | split: ' ' | join: ' y'")],
    ["what is replaced by itself", grows("'aaaa'", "replace: 'a', a")],
    ["quotes in quotes", grows(`'"'`, "json")],
    ["a code of a code", grows("'x'", "base64_encode")],
    ["a list without a loop", "{{ (1..1000000000) }}"],
    ["a table", "{% tablerow i in (1..100000) %}{{ i }}{% endtablerow %}"],
    ["a wide date", "{{ '2026-11-28' | date: '%1000000000Y' }}"],
    [
      "loops without a body",
      "{% for i in (1..999) %}{% for j in (1..999) %}{% endfor %}{% endfor %}",
    ],
    [
      "a long search",
      `${LONG}{% for i in (1..4000) %}{% if s contains s %}{% endif %}{% endfor %}`,
    ],
    ["a long text", `${LONG}{{ s | rstrip | size }}`],
  ])("is bounded: %s", (_, text) => {
    const began = process.cpuUsage();
    expect(render(text)).toMatch(/^\(this text could not be rendered: /);
    expect(cpuMsSince(began)).toBeLessThan(5_000);
  });

  it("has a limit of work and none of time", () => {
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => {
      now += 60_000;
      return now;
    });
    const text = "{% for i in (1..100) %}{{ i | plus: 1 }} {% endfor %}";
    const made = render(text);
    clock.mockRestore();
    expect(made).toMatch(/^2 3 4 .* 101$/);
  });

  it("is refused at load when it is too much whatever the facts are", () => {
    const text = "fine\n{% for i in (1..100000000) %}x{% endfor %}";
    const message = "it takes too much work: it loops too often or grows too long";
    expect(checkTemplate(text)).toEqual({ message, line: 2, column: 1 });
    // Facts decide here.
    expect(checkTemplate("{{ exact.value | times: 2 }}")).toBeNull();
  });

  it.each([
    ["{{ 'now' | date: '%Y' }}", 1, 4],
    ['a\n {{ "today" | date }}', 2, 5],
    ["{{ at | default: 'now' | date: '%H' }}", 1, 18],
    ["{{ 'now' | upcase | downcase | date }}", 1, 4],
    ["{{ 'now' | date_to_xmlschema }}", 1, 4],
    ["{{ 'now' | date_to_rfc822 }}", 1, 4],
    ["{% echo 'today' | date_to_string %}", 1, 9],
    ["{% liquid\n echo 'today' | date_to_long_string\n%}", 2, 7],
    ["{% assign x = 'now' %}{% if kind %}{{ x | date }}{% endif %}", 1, 15],
    ["{% capture x %}now{% endcapture %}{{ x | date }}", 1, 35],
    ["{{ 'no' | append: 'w' | date }}", 1, 1],
  ])("reads no clock: %j is refused at load", (text, line, column) => {
    const message = "date takes a time of the notice, such as at, and never reads the clock";
    expect(checkTemplate(text)).toEqual({ message, line, column });
  });

  it.each([
    "{{ 'now' }} {{ at | date: '%H' }}",
    "{% if kind == 'now' %}x{% endif %}{{ at | date: '%H' }}",
    "{% raw %}{{ 'now' | date }}{% endraw %}{{ at | date }}",
    "{{ at | date }} now",
  ])("may say now: %j", (text) => {
    expect(checkTemplate(text)).toBeNull();
  });

  it("knows neither the zone nor the language of the machine", () => {
    expect(render("{{ '2026-11-28 12:00' | date: '%H:%M' }}")).toBe("12:00");
    expect(render("{{ '2026-11-28T12:00:30' | time }}")).toBe("2026-11-28 12:00 UTC");
    expect(render("{{ '2026-05-28' | date: '%B %A' }}")).toBe("May Thursday");
    expect(render("{{ '28 November 2026 12:00' | date: '%H' }}")).toBe("28 November 2026 12:00");
  });

  it("cannot read files, and takes nothing from the prototypes of its facts", () => {
    for (const tag of ["{% include 'package.json' %}", "{% render 'a' %}", "{% layout 'a' %}"]) {
      expect(checkTemplate(tag)?.message).toMatch(/tag .* not found/);
    }
    expect(
      render("{{ constructor }}{{ labels.constructor }}{{ v.number }}", { labels: {}, v: "1" }),
    ).toBe("");
  });

  it("writes times as notices do, for each channel to put into its zone", () => {
    const since = "2026-11-28T22:59:07.000Z";
    expect(render("{{ since | time }}", { since })).toBe("2026-11-28 22:59 UTC");
    expect(render("{{ since | time }}.", {})).toBe(".");
    expect(render("{{ since | date: '%H:%M' }}", { since })).toBe("22:59");
    expect(render("{{ since | date: '%H:%M', 'Europe/Berlin' }}", { since })).toBe("23:59");
    expect(render("{{ v | time }}", { v: "soon" })).toMatch(/^\(this text could not be rendered: /);
  });

  it("makes one clean line of hostile facts", () => {
    expect(render("to {{ subject }}", { subject: "a\nb\u202ec\u001b[31m" })).toBe("to a bc[31m");
    expect(renderTemplate("{{ x }}", { x: "y".repeat(500) }, 20)).toHaveLength(20);
  });

  it("is checked with line and column", () => {
    expect(checkTemplate("fine {{ value }}")).toBeNull();
    expect(checkTemplate("a\n b {{ value ")).toMatchObject({ line: 2, column: 4 });
    expect(checkTemplate("{{ value | uper }}")?.message).toContain("uper");
    expect(checkTemplate("{% if %}x")).not.toBeNull();
  });

  it("tells which facts it names, and not its own variables", () => {
    const text = "{% assign a = value %}{{ a }} {{ range.price }} {{ labels['team'] }}";
    expect(templateNames(text).toSorted()).toEqual(["labels.team", "range.price", "value"]);
  });
});
