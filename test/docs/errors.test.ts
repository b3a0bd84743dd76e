import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROBLEM_CODES } from "../../src/base/problem-codes.ts";
import { CHANNELS } from "../../src/channels/index.ts";
import { readScenario } from "../../src/cli/scenario.ts";
import { ConfigError, formatProblem, type Problem } from "../../src/config/files/text-file.ts";
import { loadSetup } from "../../src/config/settings/load.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { ruleText } from "../config/rules-text.ts";
import { ran } from "../replay/ran.ts";
import { EXAMPLES, type Example } from "./error-examples.ts";

/** docs/errors.md, made of the registry and of what each example really prints: `vitest -u` writes it. */

const CONFIG = {
  service: `{base_url: "https://data.example.org", api_key: "\${env:TICKWATCH_API_KEY}"}`,
  rules: "[rules.yaml]",
  channels: "{terminal: {kind: console}}",
};

const ENV = {
  TICKWATCH_API_KEY: "k".repeat(20),
  SLACK_URL: "https://hooks.slack.com/services/x",
  DATABASE_URL: "postgres://tickwatch:secret-0123@127.0.0.1/tickwatch?sslmode=disable",
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-errors-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function linesOf(keys: Readonly<Record<string, string>>): string {
  return Object.entries(keys)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join("");
}

async function put(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function problemsOf(load: () => Promise<readonly Problem[]>): Promise<readonly Problem[]> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

/** The first lines of what an example prints, without the folder. */
async function printed(example: Example): Promise<readonly string[]> {
  if ("tests" in example) {
    const { problems } = await ran(example.tests);
    return problems.map((problem) => problem.split("\n")[0] ?? "");
  }
  const problems = await problemsOf(async () => {
    if ("scenario" in example) {
      await readScenario(await put("scenario.yaml", example.scenario));
      return [];
    }
    await put(
      "rules.yaml",
      "rules" in example ? example.rules : ruleText("rule" in example ? example.rule : {}),
    );
    const config = "config" in example ? { ...CONFIG, ...example.config } : CONFIG;
    const path = await put("config.yaml", linesOf(config));
    const { warnings } = await loadSetup(path, { env: ENV, watches: KINDS, channels: CHANNELS });
    return warnings;
  });
  return problems.map((problem) =>
    (formatProblem(problem).split("\n")[0] ?? "")
      .replaceAll(`${folder}/`, "")
      .replaceAll(folder, "/etc/tickwatch"),
  );
}

function shownText(example: Example): string {
  if ("rule" in example) return linesOf(example.rule);
  if ("config" in example) return linesOf(example.config);
  return "rules" in example ? example.rules : "tests" in example ? example.tests : example.scenario;
}

const HEAD = `# Errors and warnings

Each problem that \`tickwatch check\` prints ends with a code in brackets; \`check --json\` has it as \`code\`.
\`tickwatch test\` and scenarios of \`serve\` use the same codes. Codes do not change from version to version;
the words before them may. Below is what each means and what to do, with an input that gives it.
`;

describe("docs/errors.md", () => {
  it("has each code with an input that gives it", async () => {
    const parts = [HEAD];
    for (const [code, meaning] of Object.entries(PROBLEM_CODES)) {
      const example = Object.entries(EXAMPLES).find(([one]) => one === code)?.[1];
      if (example === undefined) throw new Error(`no example of ${code}`);
      const lines = await printed(example);
      const line = lines.find((one) => one.endsWith(` [${code}]`));
      if (line === undefined) throw new Error(`${code}: ${lines.join("; ")}`);
      const input = shownText(example).trimEnd();
      parts.push(
        `## ${code}\n\n${meaning}\n\n\`\`\`yaml\n${input}\n\`\`\`\n\n\`\`\`text\n${line}\n\`\`\`\n`,
      );
    }
    await expect(parts.join("\n")).toMatchFileSnapshot("../../docs/errors.md");
  });

  it("has no code that nothing gives", () => {
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(Object.keys(PROBLEM_CODES).toSorted());
  });
});
