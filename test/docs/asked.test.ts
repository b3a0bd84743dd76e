import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Secret } from "../../src/base/secret.ts";
import { lookOnce } from "../../src/cli/look.ts";
import { TextFile } from "../../src/config/files/text-file.ts";
import { readRuleFiles } from "../../src/config/rules/rules.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { Rule, Setup } from "../../src/model/index.ts";
import { startProgram } from "../support/program.ts";

/** The rules of the documents, without their cases, and those that come with the program, which share lists. */
const TEXTS = ["README.md", "docs/rules.md", "docs/recipes.md", "docs/testing.md"]
  .flatMap((page) =>
    Array.from(
      readFileSync(page, "utf8").matchAll(/^```yaml\n([\s\S]+?)^```$/gm),
      ([, text = ""], i) => ({
        name: `${page} ${i + 1}`,
        texts: [text.split(/^cases:/m)[0] ?? ""],
      }),
    ),
  )
  .filter(({ texts: [text = ""] }) => /^rules:\n/m.test(text));
const OWN = readdirSync("rules").filter((name) => /(?<!\.test)\.yaml$/.test(name));
TEXTS.push({ name: "rules/", texts: OWN.map((name) => readFileSync(`rules/${name}`, "utf8")) });

/** The rules of one text, called so that those of another are not meant; gates do not count here. */
async function rulesOf({ name, texts }: (typeof TEXTS)[number]): Promise<readonly Rule[]> {
  const own = texts.map((text) => text.replaceAll(/^(?:start|every|rule_files): .*\n/gm, ""));
  const words = Array.from(own.join("\n").matchAll(/[a-z]+(?:-[a-z]+)*/g), ([word]) => word);
  const files = own.map((text) => new TextFile(name, text));
  const read = await readRuleFiles(files, {
    channels: ["console", ...words],
    watches: KINDS,
    addresses: new Set(["base_url", "legacy_base_url"]),
  });
  // A gate may stand in another part of its page.
  const others = read.errors.filter(({ message }) => !message.startsWith("there is no rule"));
  expect([name, others.map(({ message }) => message)]).toEqual([name, []]);
  return read.rules.map((rule) => ({ ...rule, name: `${name}: ${rule.name}`, gates: null }));
}

function setupOf(rules: readonly Rule[], address: string, key: string): Setup {
  return {
    service: {
      baseUrl: address,
      legacyBaseUrl: address,
      apiKey: new Secret(key),
      timeoutMs: 10_000,
      concurrency: 8,
      requestsPerSecond: 1_000,
    },
    rules,
    channels: [],
    store: ":memory:",
    groupWaitMs: 0,
    heartbeat: null,
    web: null,
    selfNotify: [],
    retentionMs: 90 * 86_400_000,
    logLevel: "silent",
  };
}

describe("what the documents and the rules that come with the program name", () => {
  it("can be asked of the embedded service", { timeout: 120_000 }, async (owner) => {
    const rules = (await Promise.all(TEXTS.map(rulesOf))).flat();
    expect(rules.length).toBeGreaterThan(50);
    const serve = startProgram(owner, ["serve", "--port", "0"]);
    const address = (await serve.outLine((line) => line.startsWith("base_url: "))).slice(10);
    const key = (await serve.outLine((line) => line.startsWith("api_key: "))).slice(9);
    const stop = new AbortController().signal;
    const silent = (): void => {};
    const io = {
      out: silent,
      err: silent,
      env: {},
      colours: false,
      errTerminal: false,
      errColours: false,
      onHangup: silent,
      stop: () => stop,
      unread: stop,
    };
    const { seen, round } = await lookOnce(setupOf(rules, address, key), io);
    expect(seen.length).toBeGreaterThan(80);
    expect(Object.entries(round.failures).map(([ask, { detail }]) => `${ask}: ${detail}`)).toEqual(
      [],
    );
    // What is followed has no value before its second round, and says no trouble then.
    const lacking = seen.filter(
      ({ subject, state, trouble }) =>
        state === "no data" && trouble !== null && !subject.startsWith("source:"),
    );
    const said = lacking.map(
      ({ rule, subject, trouble }) => `${rule}: ${subject}: ${trouble ?? ""}`,
    );
    expect(said).toEqual([]);
    serve.kill("SIGTERM");
    await serve.ended;
  });
});
