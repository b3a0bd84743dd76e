import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANNELS } from "../../src/channels/index.ts";
import { ConfigError, formatProblem } from "../../src/config/files/text-file.ts";
import { loadSetup } from "../../src/config/settings/load.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { ruleText } from "./rules-text.ts";

const TOKEN = "tok_0123456789abcdef";
const ENV = {
  KEY: "tw_0123456789",
  TOKEN,
  HOST: "metrics.example.org",
  SLACK_URL: "https://hooks.example.org/services/T0/B0/Zx9Secret",
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-web-key-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function load(lines: string, channels = "{console: {kind: console}}", rules = ruleText()) {
  await writeFile(join(folder, "rules.yaml"), rules);
  await writeFile(
    join(folder, "config.yaml"),
    `service: {base_url: "https://x.org", api_key: "\${env:KEY}"}
rules: [rules.yaml]
channels: ${channels}
${lines}
`,
  );
  return loadSetup(join(folder, "config.yaml"), { env: ENV, watches: KINDS, channels: CHANNELS });
}

async function refused(lines: string): Promise<string> {
  const error: unknown = await load(lines).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConfigError)) throw new Error("no ConfigError", { cause: error });
  return error.problems.map(formatProblem).join("\n").replaceAll(`${folder}/`, "");
}

describe("web", () => {
  it("is absent unless it is written: nothing listens", async () => {
    expect((await load("")).setup.web).toBeNull();
  });

  it.each([
    ["127.0.0.1:9464", { host: "127.0.0.1", port: 9464 }],
    ["localhost:1", { host: "localhost", port: 1 }],
    ['"[::1]:9464"', { host: "::1", port: 9464 }],
    ["127.9.9.9:0", { host: "127.9.9.9", port: 0 }],
  ])("listens at %s without a token", async (listen, at) => {
    const { setup, warnings } = await load(`web: {listen: ${listen}}`);
    expect(setup.web).toEqual({
      ...at,
      token: null,
      readOnlyToken: null,
      hosts: [],
      url: null,
      page: true,
      actions: false,
    });
    expect(warnings).toEqual([]);
  });

  it.each([
    "0.0.0.0:9464",
    '"[::]:9464"',
    "10.0.0.5:9464",
    "metrics.internal:9464",
    "127.0.0.1.x:1",
  ])("needs a token beyond loopback: %s", async (listen) => {
    expect(await refused(`web: {listen: ${listen}}`)).toMatch(
      /^config\.yaml:4:15: listen is reachable from other machines, which needs a token, expected `token: /,
    );
    const { setup } = await load(
      `web: {listen: ${listen}, token: "\${env:TOKEN}", hosts: ["\${env:HOST}", "[fd00::5]"]}`,
    );
    expect(setup.web?.token?.reveal()).toBe(TOKEN);
    expect(setup.web?.hosts).toEqual(["metrics.example.org", "[fd00::5]"]);
    expect(JSON.stringify(setup.web)).not.toContain(TOKEN);
  });

  it.each([
    ["web: {listen: 9464}", "did you mean `127.0.0.1:9464`?"],
    ['web: {listen: ":9464"}', "did you mean `127.0.0.1:9464`?"],
    ["web: {listen: 127.0.0.1}", "is not an address with a port"],
    ["web: {listen: 127.0.0.1:99999}", "is not an address with a port"],
    ["web: {listen: http://127.0.0.1:1}", "is not an address with a port"],
    ["web: {}", "listen is missing, expected listen: 127.0.0.1:9464"],
    ["web: true", "web is true"],
    ["web: {listn: 127.0.0.1:9464}", "did you mean `listen`?"],
    ['web: {listen: 127.0.0.1:1, token: "short"}', "16 letters, digits and signs at least"],
    ["web: {listen: 127.0.0.1:1, hosts: a.org}", "hosts is not a list"],
    ['web: {listen: 127.0.0.1:1, hosts: ["a.org:9464"]}', "a name without a port"],
  ])("refuses %s", async (lines, words) => {
    expect(await refused(lines)).toContain(words);
  });

  it("warns of a token in the file itself, and never shows it", async () => {
    const { warnings } = await load(`web: {listen: 127.0.0.1:1, token: ${TOKEN}}`);
    const shown = warnings.map(formatProblem).join("\n");
    expect(shown).toContain("the file itself holds a secret");
    expect(shown).not.toContain(TOKEN);
    expect(await refused(`web: {listen: 1, token: ${TOKEN}}`)).not.toContain(TOKEN);
  });
});

describe("a single channel", () => {
  const SLACK = `{lp: {kind: slack, url: "\${env:SLACK_URL}"}}`;
  const words = async (...args: Parameters<typeof load>): Promise<string[]> =>
    (await load(...args)).warnings.map((one) => formatProblem(one).replaceAll(`${folder}/`, ""));

  it("is warned of where it is written, with what helps", async () => {
    const [warning = "", ...more] = await words("", SLACK);
    expect(warning.split("\n")[0]).toBe(
      'config.yaml:3:12: "lp" is the only channel: nobody is notified when it fails, expected a second one of another kind beside it, such as a mail [only-channel]',
    );
    expect(more).toEqual([]);
  });

  it("is fine if it is the console, beside another, or if no rule tells anybody", async () => {
    expect(await words("")).toEqual([]);
    expect(await words("", `${SLACK.slice(0, -1)}, terminal: {kind: console}}`)).toEqual([]);
    const silent = await words("", SLACK, ruleText({ notify: "[]" }));
    expect(silent.join("\n")).not.toContain("only channel");
  });
});
