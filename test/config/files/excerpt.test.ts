import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { excerpt, hiddenParts } from "../../../src/config/files/excerpt.ts";
import { formatProblem, TextFile } from "../../../src/config/files/text-file.ts";

/** The character that the caret stands under, for lines of narrow characters. */
const under = ({ source, caret }: { source: string; caret: number }) => source[caret];

describe("the excerpt of a line", () => {
  it("has its caret under the place, tabs or not", () => {
    expect(excerpt("\ta:\tbad", 4)).toEqual({ source: "  a:  bad", caret: 6 });
  });

  it("counts wide characters twice and marks not at all", () => {
    expect(excerpt("名前: bad", 4).caret).toBe(6);
    expect(excerpt("e\u0301🔥: bad", 6).caret).toBe(5);
  });

  it("shows no control or format character", () => {
    const { source } = excerpt("a\u001b[31m\u202e\u200b\u0000\u2028b", 0);
    expect(source).toBe("a·[31m····b");
  });

  it("cuts a long line around the place", () => {
    const line = `${"a".repeat(300)}X${"b".repeat(300)}`;
    const cut = excerpt(line, 300);
    expect(under(cut)).toBe("X");
    expect(cut.source.length).toBeLessThan(115);
    expect(cut.source).toMatch(/^….*…$/);
    expect(excerpt(line, 0).source.startsWith("aaa")).toBe(true);
    expect(excerpt(line, 600).source.endsWith("bbb")).toBe(true);
  });

  it("stays narrow and keeps the caret in view for any line and place", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 900 }), fc.nat(1_000), (line, at) => {
        const { source, caret } = excerpt(line, at);
        expect(caret).toBeLessThan(115);
        expect([...source].filter((c) => !/\p{M}/u.test(c)).length).toBeLessThan(115);
        expect(source).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });

  it("keeps the caret at hidden parts", () => {
    const cut = excerpt("key: secret, x: y", 5, [{ start: 5, end: 11 }]);
    expect(cut).toEqual({ source: "key: [redacted], x: y", caret: 5 });
    expect(under(excerpt("key: secret, x: y", 13, [{ start: 5, end: 11 }]))).toBe("x");
  });
});

describe("the parts of config.yaml that are not shown", () => {
  const shown = (line: string, above: readonly string[] = []) =>
    excerpt(line, 0, hiddenParts(line, above)).source;

  it.each([
    ["api_key: abc", "api_key: [redacted]"],
    ["  timeout: 5", "  timeout: 5"],
    ['url: "${env:SLACK_URL}"', 'url: "${env:SLACK_URL}"'],
    ['url: "https://x.org/${env:PART}/abc"', 'url: "[redacted]{env:PART}[redacted]"'],
    ["a: {kind: slack, url: abc}", "a: {kind: slack, url: [redacted]}"],
    ["a: {type: slack, url: abc}", "a: {type: slack, url: [redacted]}"],
    ["a: {type: Zx9-Secret.1}", "a: {type: [redacted]}"],
    ["base_url: https://x.org:8080/data", "base_url: https://x.org:8080/data"],
    ["base_url: https://u:p@x.org", "base_url: [redacted]"],
    ["timeout: 5 api_key:abc", "timeout: 5 [redacted]"],
    ["api_key:abc", "[redacted]"],
    ["    abc", "    [redacted]"],
    ['url: "${env:A}"  # was https://x.org', 'url: "${env:A}"  # [redacted]'],
    ["timeout: 5  # a comment: api_key: abc", "timeout: 5  # [redacted]"],
    ["timeout: 5  #", "timeout: 5  #"],
    ["    notify: [lp-slack, lp-mail]", "    notify: [lp-slack, lp-mail]"],
    ["  - {match: {severity: critical, rule: tvl*}, notify: on-call}", null],
    ["legacy_base_url: https://x.org:8080/data", null],
    ["  mute: [nights, 2]", null],
    ["notify: https://hooks.slack.com/services/T0/B0/x", "notify: [redacted]"],
    ["notify: [ck_live_9f8e7d6c5b4a3f2e1d0c9b8a]", "notify: [[redacted]]"],
    ["notify: [9f8e7d6c5b4a, slack]", "notify: [[redacted], slack]"],
    [
      "mail: {kind: email, starttls: never, to: a@b.org}",
      "mail: {kind: email, starttls: never, to: [redacted]}",
    ],
  ])("%s", (line, expected) => {
    expect(shown(line)).toBe(expected ?? line);
  });

  it("go by the key above where a line has none", () => {
    expect(shown("  - rules/*.yaml", ["rules:"])).toBe("  - rules/*.yaml");
    expect(shown("    - lp-slack", ["routes:", "  - notify:"])).toBe("    - lp-slack");
    expect(shown("  abc", ["rules: [a]", "api_key:"])).toBe("  [redacted]");
    expect(shown("  abc", ["store: x", "timeout:"])).toBe("  [redacted]");
  });
});

describe("a problem", () => {
  it("is printed with what was expected and meant", () => {
    const file = new TextFile("rules/a.yaml", "a: 1\n  b: bad\n");
    const hint = { expected: "good", suggestion: "god" };
    expect(formatProblem(file.problem("bad-yaml", 10, "b is bad", hint))).toBe(
      "rules/a.yaml:2:6: b is bad, expected good; did you mean `god`? [bad-yaml]\n    b: bad\n       ^",
    );
  });

  it("has a place in the file for any offset", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 60 }),
        fc.integer({ min: -5, max: 80 }),
        (text, offset) => {
          const { line, column } = new TextFile("f", text).problem("bad-yaml", offset, "x");
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(text.split("\n").length);
          expect(column).toBeGreaterThanOrEqual(1);
        },
      ),
    );
  });

  it("has no hostile text in its message or file name", () => {
    const problem = new TextFile("a\u001b.yaml", "x").problem("bad-yaml", 0, "is \u202e\nbad");
    expect(formatProblem(problem)).toBe("a.yaml:1:1: is bad [bad-yaml]\n  x\n  ^");
  });
});
