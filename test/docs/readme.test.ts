import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runTickwatch } from "../cli/test-command.ts";
import { startHere } from "../support/program.ts";
import { WHOLE } from "../support/tier.ts";

const README = readFileSync("README.md", "utf8");
const SERVICE = readFileSync("docs/service.md", "utf8");

function sectionOf(text: string, heading: string): string {
  const line = `\n## ${heading}\n`;
  expect(text).toContain(line);
  return text.slice(text.indexOf(line) + line.length).split("\n## ")[0] ?? "";
}

const SECTION = sectionOf(SERVICE, "The smallest configuration");
/** The files of the section, by their names. */
const FILES = Array.from(
  SECTION.matchAll(/^`(\S+\.yaml)`\n\n```yaml\n([\s\S]+?)^```$/gm),
  ([, name = "", text = ""]) => ({ name, text }),
);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-readme-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("the first own alert of the README", () => {
  const own = sectionOf(README, "Your first own alert");

  it("is the first thing after the demo, and goes through init", () => {
    const headings = Array.from(README.matchAll(/^## (.+)$/gm), ([, heading]) => heading);
    expect(headings.slice(0, 2)).toEqual(["Try it", "Your first own alert"]);
    expect(own).toMatch(/^tickwatch init alerts /m);
    for (const command of ["serve", "run"]) {
      expect(own).toMatch(new RegExp(`^tickwatch ${command} `, "m"));
    }
  });

  it("comes about as it stands there", async (owner) => {
    const [, options = ""] = /`tickwatch init alerts (--watch [^`]+)`/.exec(own) ?? [];
    const alerts = join(folder, "alerts");
    const serve = startHere(owner, ["serve", "--port", "0"]);
    const url = (await serve.outLine((line) => line.startsWith("base_url: "))).slice(10);
    // But for the port, which may be taken on this machine.
    const made = await runTickwatch(["init", alerts, ...options.split(/\s+/), "--url", url]);
    expect(made).toMatchObject({ code: 0, err: "" });
    const [, shown = ""] = /```\n(alerts\/[^`]+?)```/.exec(own) ?? [];
    const words = (text: string): string =>
      text.replaceAll(/ +/g, " ").replaceAll(/\d[\d.]* gwei ok/g, "N gwei ok");
    expect(words(made.out)).toContain(words(shown.replace("alerts", alerts)));
    const rules = join(alerts, "rules", "gas.yaml");
    const edited = readFileSync(rules, "utf8")
      .replace("above: 5 gwei", "above: 0.5 gwei")
      .replace("below: 4 gwei", "below: 0.4 gwei");
    expect(edited).toContain("above: 0.5 gwei");
    await writeFile(rules, edited);
    const running = startHere(owner, ["run", "--config", join(alerts, "config.yaml")]);
    await running.outLine((line) => /tip [\d.]+ gwei, limit 0\.5/.test(line));
    running.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0 });
  });
});

describe("the smallest configuration of docs/service.md", () => {
  it("has 12 lines at most", () => {
    expect(FILES.map(({ name }) => name)).toEqual(["config.yaml", "rules.yaml"]);
    const lines = FILES.flatMap(({ text }) => text.trimEnd().split("\n"));
    expect(lines.length).toBeLessThanOrEqual(12);
    for (const command of ["serve", "check --online", "run"]) {
      expect(SECTION).toMatch(new RegExp(`^tickwatch ${command} `, "m"));
    }
  });

  it("works as it stands, beside the embedded service", async (owner) => {
    // As it stands but for the port, which may be taken on this machine.
    const serve = startHere(owner, ["serve", "--port", "0"]);
    const address = (await serve.outLine((line) => line.startsWith("base_url: "))).slice(10);
    const key = (await serve.outLine((line) => line.startsWith("api_key: "))).slice(9);
    expect(FILES[0]?.text).toContain(`api_key: ${key} `);
    expect(FILES[0]?.text).toContain("base_url: http://127.0.0.1:8080 ");
    for (const { name, text } of FILES) {
      await writeFile(join(folder, name), text.replace("http://127.0.0.1:8080", address));
    }
    const config = join(folder, "config.yaml");
    const checked = await runTickwatch(["check", "--online", "--config", config]);
    expect(checked).toMatchObject({ code: 0, err: "" });
    expect(checked.out).toMatch(/tip_top10 +[\d.,]+ gwei/);
    expect(checked.out).toMatch(/^OK: 1 rule, 1 subject, 1 channel\.$/m);
    const running = startHere(owner, ["run", "--config", config]);
    await running.outLine((line) => /tip-spike|Watching|tip /.test(line));
    running.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0 });
    serve.kill("SIGTERM");
    await serve.ended;
  });
});

describe("the package", () => {
  const packed = (): readonly string[] => {
    const out = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const parsed: unknown = JSON.parse(out);
    const text = JSON.stringify(parsed);
    return Array.from(text.matchAll(/"path":"([^"]+)"/g), ([, path = ""]) => path);
  };

  it.runIf(WHOLE)(
    "holds the program, its documents and examples, and nothing that nobody reads",
    () => {
      const paths = packed();
      expect(paths).toEqual(
        expect.arrayContaining([
          "README.md",
          "LICENSE",
          "CHANGELOG.md",
          "config.example.yaml",
          "dist/main.js",
          "docs/rules.md",
          "docs/examples/outage.yaml",
          "rules/lp.yaml",
          "rules/lp.test.yaml",
        ]),
      );
      expect(paths.filter((path) => /\.map$|\.ts$|^(?:src|test|bench)\//.test(path))).toEqual([]);
      const linked = Array.from(README.matchAll(/\]\(([^)#:]+)\)/g), ([, path = ""]) => path);
      expect(linked.length).toBeGreaterThan(10);
      expect(linked.filter((path) => !existsSync(path))).toEqual([]);
      const isPacked = (path: string): boolean =>
        paths.some((one) => one === path || one.startsWith(`${path}/`));
      expect(linked.filter((path) => !isPacked(path))).toEqual([]);
    },
  );
});
