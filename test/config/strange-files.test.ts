import { execFileSync } from "node:child_process";
import { link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANNELS } from "../../src/channels/index.ts";
import { ConfigError, formatProblem } from "../../src/config/files/text-file.ts";
import { loadSetup } from "../../src/config/settings/load.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { loadTests } from "../../src/replay/load-tests.ts";
import { WHOLE } from "../support/tier.ts";
import { problemsOf, read, ruleText } from "./rules-text.ts";

const KEY = "sk-live-4f9a-SECRET";
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-files-"));
  await mkdir(join(folder, "rules"));
  await writeFile(join(folder, "rules/a.yaml"), ruleText());
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function configText(rules: string, key = KEY): string {
  return `service:\n  base_url: https://d.example.org\n  api_key: ${key}\nrules: [${rules}]\nchannels: {here: {kind: console}}\n`;
}

/** Everything that is printed of a configuration, or of the one that is there already. */
async function refused(text: string | null): Promise<{ lines: string[]; all: string }> {
  const path = join(folder, "config.yaml");
  if (text !== null) await writeFile(path, text);
  try {
    await loadSetup(path, { env: {}, watches: KINDS, channels: CHANNELS });
    return { lines: [], all: "" };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const all = error.problems.map((one) => formatProblem(one).replaceAll(`${folder}/`, ""));
    return { lines: all.map((one) => one.split("\n")[0] ?? ""), all: all.join("\n") };
  }
}

/** Puts something at a path that is no file that somebody wrote. */
const STRANGE: readonly (readonly [string, (path: string) => Promise<unknown>, string])[] = [
  ["a pipe", async (path) => execFileSync("mkfifo", [path]), "is a pipe and no file"],
  ["an endless device", (path) => symlink("/dev/zero", path), "is a device and no file"],
  ["an empty device", (path) => symlink("/dev/null", path), "is a device and no file"],
  [
    "a socket",
    (path) =>
      new Promise<void>((done) => {
        const server = createServer().listen(path, () => done());
        server.unref();
      }),
    "is a socket and no file",
  ],
  [
    "what the system makes up",
    (path) => symlink("/proc/self/environ", path),
    "is made up by the system, as in /proc, and no file",
  ],
  ["a link to nothing", (path) => symlink("nowhere", path), "does not exist"],
  ["a link to itself", (path) => symlink(path, path), "is a link that leads back to itself"],
];

describe.each(STRANGE)("%s", (_, put, words) => {
  it("is no rules file, and is refused at once beside good ones", async () => {
    await put(join(folder, "rules/b.yaml"));
    const { lines } = await refused(configText('"rules/*.yaml"'));
    expect(lines).toEqual([`rules/b.yaml:1:1: the rules file ${words} [unreadable-file]`]);
  });

  it("is no configuration", async () => {
    await put(join(folder, "config.yaml"));
    const { lines } = await refused(null);
    expect(lines[0]).toContain(`config.yaml:1:1: the file ${words}`);
  });

  it("is no secret's file", async () => {
    await put(join(folder, "key"));
    const { lines } = await refused(configText("rules/a.yaml", '"${file:key}"'));
    expect(lines[0]).toContain(`the file "key" ${words}`);
  });

  it("is no file of rule tests", async () => {
    const path = join(folder, "a.test.yaml");
    await put(path);
    const { problems } = await loadTests(path, { kinds: KINDS });
    expect(problems.map(({ message }) => message)).toEqual([`the file ${words}`]);
  });
});

describe("a pattern for rules files", () => {
  it("tells of every file that cannot be read, and passes folders over", async () => {
    await mkdir(join(folder, "rules/d.yaml"));
    await symlink("/dev/zero", join(folder, "rules/x.yaml"));
    await symlink("gone", join(folder, "rules/y.yaml"));
    expect((await refused(configText('"rules/*.yaml"'))).lines).toHaveLength(2);
  });

  it("is told what a folder needs", async () => {
    expect((await refused(configText("rules"))).lines).toEqual([
      'config.yaml:4:9: "rules" is a folder; did you mean `rules/*.yaml`? [bad-rules-pattern]',
    ]);
  });

  it.each([
    ["by its name", async () => {}, '"*.yaml"'],
    ["by a link", () => symlink("../config.yaml", join(folder, "rules/l.yaml")), '"rules/l*.yaml"'],
    [
      "by another name of the same file",
      async () => {
        await writeFile(join(folder, "config.yaml"), "");
        await link(join(folder, "config.yaml"), join(folder, "rules/h.yaml"));
      },
      '"rules/h*.yaml"',
    ],
  ])("that leads to the configuration %s says so in one line", async (_, put, pattern) => {
    await put();
    const { lines, all } = await refused(configText(`rules/a.yaml, ${pattern}`));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^config\.yaml:4:23: ".*" matches "[\w./]+", which is the configuration itself/,
    );
    expect(all).not.toContain("4f9a");
  });

  it.each([
    ["the configuration", "config.yaml"],
    ["a rules file", "rules/a.yaml"],
    ["a rules file by a link", "link.db"],
  ])("is not taken for the database: %s", async (_, store) => {
    await symlink("rules/a.yaml", join(folder, "link.db"));
    const { lines } = await refused(`${configText("rules/a.yaml")}store: ${store}\n`);
    expect(lines).toEqual([
      expect.stringMatching(/^config\.yaml:\d+:8: ".*" is (the configuration|a rules file)/),
    ]);
  });

  it.each([
    ["a copy of it", "b.yaml", configText("a.yaml"), 1],
    ["one that is no YAML", "b.yaml", configText("a.yaml").replace(KEY, `"${KEY}`), undefined],
    [
      "one in one line",
      "b.yaml",
      `{service: {api_key: ${KEY}}, channels: {a: {kind: slack, url: ${KEY}}}}`,
      1,
    ],
    ["one with a stray list", "b.yaml", `service: {api_key: ${KEY}}\n  - ${KEY}\n`, undefined],
    ["a file with a secret alone", "key", `${KEY}\n`, 1],
    ["settings of a shell", "env.sh", `export KEY=${KEY}\nOTHER: ${KEY}\n`, undefined],
  ])("that leads to %s shows nothing of its values", async (_, name, text, count) => {
    await writeFile(join(folder, "rules", name), text);
    const { lines, all } = await refused(configText('"rules/*"'));
    expect(lines.length).toBeGreaterThan(0);
    if (count !== undefined) expect(lines).toHaveLength(count);
    expect(all).not.toContain("4f9a");
  });

  it("shows the lines of rules files as they are", async () => {
    await writeFile(join(folder, "rules/b.yaml"), ruleText({ name: "b", notify: "[her]" }));
    const { all } = await refused(configText('"rules/*.yaml"'));
    expect(all).toContain("notify: [her]");
  });
});

describe("very many problems", () => {
  const rule = (i: number, more: string): string =>
    `  - name: rule-${i}\n    watch: {kind: gas, chain: 1}\n    when: {metric: tip_top10, above: 5 gwei}\n    ${more}\n`;
  /** Far more than are shown. */
  const RULES = WHOLE ? 4_000 : 800;
  const many = (more: (i: number) => string): string =>
    `rules:\n${Array.from({ length: RULES }, (_, i) => rule(i, more(i))).join("")}`;
  const refusal = (text: string): ConfigError => {
    try {
      read(text);
    } catch (error) {
      if (error instanceof ConfigError) return error;
      throw error;
    }
    throw new Error("nothing is wrong");
  };

  it.each([
    ["unknown keys", many((i) => `wrong${i}: 1`), RULES],
    ["unknown gates", many((i) => `only_while: [gate-number-${i}]`), RULES],
    ["lines that are no YAML", `rules:\n${'  - name: "a" b: [\n'.repeat(RULES)}`, RULES - 1],
  ])("stop at 500, and the rest is counted: %s", (_, text, least) => {
    const { problems, more } = refusal(text);
    expect(problems).toHaveLength(500);
    expect(problems.length + more).toBeGreaterThanOrEqual(least);
  });

  it.runIf(WHOLE)("cost no more than the rules themselves where names are unknown", () => {
    const cpu = (text: string): number => {
      const start = process.cpuUsage().user;
      problemsOf(text);
      return (process.cpuUsage().user - start) / 1_000;
    };
    const plain = many((i) => `note: gate-number-${i * 7919}`);
    const unknown = many((i) => `only_while: [gate-number-${i * 7919}]`);
    // The first run makes the parser fast.
    cpu(plain);
    expect(cpu(unknown)).toBeLessThan(2 * cpu(plain) + 500);
    expect(problemsOf(unknown)).toHaveLength(500);
  });
});
