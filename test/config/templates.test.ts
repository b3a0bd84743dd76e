import { describe, expect, it, vi } from "vitest";
import { KINDS } from "../../src/kinds/index.ts";
import { ruleText } from "./rules-text.ts";

/** The modules as a new process has them: nothing of templates is loaded. */
async function newProcess() {
  vi.resetModules();
  const { parseRules, readRuleFiles } = await import("../../src/config/rules/rules.ts");
  const { templates } = await import("../../src/notices/template/library.ts");
  const { TextFile } = await import("../../src/config/files/text-file.ts");
  const context = { watches: KINDS, channels: ["console"] };
  return {
    loaded: () => templates() !== null,
    parse: (text: string) => parseRules(text, "rules.yaml", context),
    read: (...texts: readonly string[]) =>
      readRuleFiles(
        texts.map((text, i) => new TextFile(`${i}.yaml`, text)),
        context,
      ),
  };
}

const PLAIN = ruleText({ title: "Tips are {high}, 50% more, 100 }}" });

describe("the library of templates", () => {
  it("is not loaded for rules without any", async () => {
    const { read, loaded } = await newProcess();
    const { rules, errors } = await read(PLAIN, ruleText({ name: "other" }));
    expect([errors, rules.length]).toEqual([[], 2]);
    expect(loaded()).toBe(false);
  });

  it.each([
    ['title: "{{ valeu }}"', { title: '"{{ valeu }}"' }],
    ["a note in a block", { note: "|\n      Now\n      {{ valeu }}" }],
    ["a tag", { note: '"{% if valeu %}high{% endif %}"' }],
    ["braces written as escapes", { note: '"\\x7b\\u007b valeu }}"' }],
    ["braces with what nobody sees between them", { title: '"{\u200b\u00ad\u{e0041}{ valeu }}"' }],
    ["braces that an escaped line break parts", { note: '"{\\\n      { valeu }}"' }],
  ])("is there to check %s in any of the files", async (_, keys) => {
    const { read, loaded } = await newProcess();
    const { errors, warnings } = await read(PLAIN, ruleText({ name: "other", ...keys }));
    expect(errors).toEqual([]);
    // What nobody sees in the line is told as well.
    expect(warnings.map(({ message }) => message.replace(/; character .*/, ""))).toEqual([
      'notices have no "valeu": it stays empty',
    ]);
    expect(loaded()).toBe(true);
  });

  it("must be there before a text is parsed that has one: no rule is watched unchecked", async () => {
    const { parse } = await newProcess();
    expect(parse(PLAIN).rules).toHaveLength(1);
    expect(() => parse(ruleText({ title: '"{{ value }}"' }))).toThrow(
      "a template is read before the library of templates",
    );
  });
});
