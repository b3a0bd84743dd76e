import { readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runTickwatch } from "./test-command.ts";

const RULES = `rules:
  - name: tvl-low
    watch: {kind: v4_pool, chain: 1, pools: [{id: "0x${"ab".repeat(32)}", name: Pool}]}
    when: {metric: tvl_usd, below: 100}
    notify: [somebody]
`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-rule-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Writes a file of tests on the rule above and runs it. */
async function run(cases: string, args: readonly string[] = []) {
  const file = join(folder, "a.test.yaml");
  await writeFile(file, `${RULES}cases:\n${cases}`);
  const { code, out, err } = await runTickwatch(["test", file, ...args]);
  const plain = (text: string): string =>
    text.replaceAll(`${folder}/`, "").replaceAll(/\d+ ms/g, "N ms");
  return { code, out: plain(out), err: plain(err) };
}

const GOOD = `  - name: it falls
    values: {Pool: {tvl_usd: 100x5 99x5}}
    expect:
      - {at: 5m, kind: fired, rule: tvl-low, subject: Pool, text: TVL}
`;
const BAD = `  - name: it falls too early
    values: {Pool: {tvl_usd: 100x5 99x5 100x5}}
    expect:
      - {at: 5m, kind: fired}
      - {at: 9m, kind: resolved}
`;

describe("the rules that come with the program", () => {
  it("pass their tests", async () => {
    const names = await readdir("rules");
    const files = names.filter((name) => name.endsWith(".test.yaml"));
    const rules = names.filter((name) => name.endsWith(".yaml") && !name.endsWith(".test.yaml"));
    expect(files.length).toBe(rules.length);
    const { code, out, err } = await runTickwatch([
      "test",
      ...files.map((name) => `rules/${name}`),
    ]);
    expect({ code, err, out }).toEqual({ code: 0, err: "", out: expect.stringMatching(/^OK: /m) });
    expect(out).toMatch(/^OK: \d+ cases in \d+ files: \d+ passed\. \d+ ms\.$/m);
  });

  it("each have a case", async () => {
    for (const name of await readdir("rules")) {
      if (!name.endsWith(".yaml") || name.endsWith(".test.yaml")) continue;
      const rules = Array.from(
        readFileSync(`rules/${name}`, "utf8").matchAll(/^ {2}- name: (.+)$/gm),
        ([, rule]) => rule,
      );
      const tests = await readFile(`rules/${name.replace(".yaml", ".test.yaml")}`, "utf8");
      for (const rule of rules) expect(tests, `${name}: ${rule}`).toContain(`rule: ${rule}\n`);
    }
  });
});

describe("docs/testing.md", () => {
  const blocks = Array.from(
    readFileSync("docs/testing.md", "utf8").matchAll(/^```yaml\n([\s\S]+?)^```$/gm),
    ([, text]) => text ?? "",
  );

  it("has two whole examples", () => {
    expect(blocks).toHaveLength(2);
  });

  it.each(blocks.map((text, i) => [i + 1, text] as const))(
    "passes its example %i",
    async (_, text) => {
      const file = join(folder, "docs.test.yaml");
      await writeFile(file, text);
      const { code, out, err } = await runTickwatch(["test", file]);
      expect({ code, err, out }).toEqual({
        code: 0,
        err: "",
        out: expect.stringMatching(/^OK: /m),
      });
    },
  );
});

describe("tickwatch test", () => {
  it("says that all is well in two lines and with code 0", async () => {
    expect(await run(GOOD)).toEqual({
      code: 0,
      out: "ok a.test.yaml: 1 case\nOK: 1 case in 1 file: 1 passed. N ms.\n",
      err: "",
    });
  });

  it("shows expected and seen side by side and where the first difference stands, with code 1", async () => {
    const { code, out, err } = await run(GOOD + BAD);
    expect([code, err]).toEqual([1, ""]);
    expect(out).toContain("a.test.yaml:11:5: failed: it falls too early\n");
    expect(out).toMatch(/^ {5}expected {5}seen$/m);
    expect(out).toMatch(/^ {5}5m fired {5}5m fired tvl-low Pool "🟠 Pool TVL/m);
    expect(out).toMatch(/^> ≠ {2}9m resolved {2}10m resolved tvl-low Pool "🟢 /m);
    expect(out).toContain("a.test.yaml:15:9: time: expected 9m, seen 10m\n");
    expect(out).toMatch(/^FAILED: 2 cases in 1 file: 1 passed, 1 failed\. N ms\.$/m);
  });

  it("names what came and was not expected, and what did not come", async () => {
    const silent = `  - {name: silent, values: {Pool: {tvl_usd: 100x3 99}}, expect: []}\n`;
    expect((await run(silent)).out).toContain(
      "a.test.yaml:7:5: not expected: 3m fired tvl-low Pool",
    );
    const missing = `  - {name: missing, values: {Pool: {tvl_usd: 100x9}}, expect: [{at: 3m, kind: fired}]}\n`;
    expect((await run(missing)).out).toContain("a.test.yaml:7:64: did not come: 3m fired");
  });

  it.each([
    ["{at: 5m, kind: fired, text: nonsense}", "text: expected nonsense, seen 🟠 Pool TVL"],
    ["{at: 5m, kind: fired, headline: TVL}", "headline: expected TVL, seen 🟠 Pool TVL"],
    ["{at: 5m, kind: resolved}", "kind: expected resolved, seen fired"],
    ["{at: 5m, kind: fired, note: why}", "note: expected why, seen none"],
  ])("says of %s what differs", async (notice, difference) => {
    const { code, out } = await run(
      `  - {name: x, values: {Pool: {tvl_usd: 100x5 99x2}}, expect: [${notice}]}\n`,
    );
    expect(code).toBe(1);
    expect(out).toContain(difference);
  });

  it.each([
    ["a notice", BAD.replace("9m", "90m"), "notice"],
    ["a notice by its date", BAD.replace("9m", "2026-01-02"), "notice"],
    ["a step", `${BAD}    steps: [{at: 2h, restart: true}]\n`, "step"],
  ])(
    "takes %s past the end for the error of its case, and runs the others",
    async (_, bad, what) => {
      const { code, out, err } = await run(`${GOOD}${bad}${GOOD.replace("falls", "falls again")}`);
      expect({ code, err }).toEqual({ code: 1, err: "" });
      expect(out).toContain("failed: it falls too early");
      expect(out).toMatch(new RegExp(`the case could not be run: the ${what} lies behind the end`));
      expect(out).toMatch(/^FAILED: 3 cases in 1 file: 2 passed, 1 failed\./m);
    },
  );

  it("prints each notice whole with --show, whether it was expected or not", async () => {
    const plain = await run(`${GOOD}${BAD}`);
    const { code, out } = await run(`${GOOD}${BAD}`, ["--show"]);
    expect(code).toBe(1);
    const lines = out.split("\n");
    const at = lines.indexOf("it falls:");
    expect(at).toBeGreaterThan(0);
    expect(lines).toContain("  5m fired tvl-low");
    expect(out).toMatch(/^ {4}🟠 Pool TVL \$99/m);
    expect(out).toMatch(/^ {8}Rule +tvl-low$/m);
    expect(out).toMatch(/^ {8}notice [0-9a-f]+$/m);
    expect(lines).toContain("  10m resolved tvl-low");
    expect(plain.out).not.toContain("notice ");
  });

  it("counts a start only where one is expected", async () => {
    const start = `  - {name: x, values: {Pool: {tvl_usd: 100x5}}, expect: [{at: 0, kind: started}]}\n`;
    expect((await run(start)).code).toBe(0);
    const { out } = await run(start.replace("at: 0", "at: 1m"));
    expect(out).toContain("time: expected 1m, seen 0m");
  });

  it("gives programs every case with what was expected and seen", async () => {
    const { code, out } = await run(GOOD + BAD, ["--json"]);
    expect(code).toBe(1);
    const report: unknown = JSON.parse(out);
    expect(report).toMatchObject({
      ok: false,
      cases: 2,
      failed: 1,
      files: [
        {
          problems: [],
          cases: [
            { name: "it falls", ok: true, difference: null },
            {
              name: "it falls too early",
              ok: false,
              place: { line: 11, column: 5 },
              difference: {
                place: { line: 15, column: 9 },
                message: "time: expected 9m, seen 10m",
              },
              notices: [
                {
                  same: true,
                  seen: { at_ms: 300_000, kind: "fired", rule: "tvl-low", name: "Pool" },
                },
                { same: false, expected: { at_ms: 540_000 }, seen: { at_ms: 600_000 } },
              ],
            },
          ],
        },
      ],
    });
  });

  it("writes JUnit XML in which nothing breaks out of its place", async () => {
    const file = join(folder, "junit.xml");
    const hostile = GOOD.replace("it falls", `"<b> & \\"x\\" \\u0001"`);
    const { code } = await run(hostile + BAD, ["--junit", file]);
    expect(code).toBe(1);
    const xml = await readFile(file, "utf8");
    expect(xml).toContain('<testsuites name="tickwatch test" tests="2" failures="1" errors="0"');
    expect(xml).toContain('name="&lt;b&gt; &amp; &quot;x&quot; \uFFFD"');
    expect(xml).toMatch(/<failure message="time: expected 9m, seen 10m">.*a\.test\.yaml:15:9/);
    const tags = xml.match(/<\/?[a-z]+/g) ?? [];
    expect(tags.filter((tag) => tag === "<testcase")).toHaveLength(2);
  });

  it("refuses a file that cannot be used with its place and code 2, and runs the others", async () => {
    const broken = GOOD.replace("tvl_usd", "tvl_usdd");
    const { code, out, err } = await run(broken);
    expect(code).toBe(2);
    expect(err).toContain(
      'a.test.yaml:8:21: v4_pool has no metric "tvl_usdd"; did you mean `tvl_usd`?',
    );
    expect(out).toContain("1 file cannot be used");
    const missing = await runTickwatch(["test", "rules/gas.test.yaml", join(folder, "none.yaml")]);
    expect(missing.code).toBe(2);
    expect(missing.out).toContain("ok rules/gas.test.yaml");
    expect(missing.err).toContain("none.yaml:1:1: the file does not exist");
  });

  describe("--config", () => {
    const late = GOOD.replace("99x5", "99x16").replace("at: 5m", "at: 10m");
    /** Runs both cases with a configuration that has these keys beside a secret that nobody has set. */
    const runWith = async (cases: string, keys: string) => {
      const config = join(folder, "config.yaml");
      await writeFile(
        config,
        `service: {base_url: "https://d.example.org", api_key: "\${env:NOBODY_HAS_SET_IT}"}\nrules: [none/*.yaml]\nchannels: {a: {}}\n${keys}`,
      );
      return run(cases, ["--config", config]);
    };

    it("gives rules without a schedule the one of its defaults, and others keep theirs", async () => {
      expect((await run(late)).code).toBe(1);
      expect((await runWith(late, "defaults: {schedule: 10m}\n")).code).toBe(0);
      expect((await runWith(late, "")).code).toBe(1);
      expect((await runWith(GOOD, "defaults: {severity: critical}\n")).code).toBe(0);
    });

    it("is refused with its place where it is wrong, for what is taken of it alone", async () => {
      const { code, out, err } = await runWith(late, "defaults: {schedule: 10 minutes}\n");
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toMatch(
        /^config\.yaml:4:22: schedule "10 minutes" is neither .* did you mean `10m`\?/,
      );
      const missing = await run(GOOD, ["--config", join(folder, "none.yaml")]);
      expect(missing.code).toBe(2);
      expect(missing.err).toContain("none.yaml:1:1: the file does not exist");
    });
  });

  it("runs again when a file changes, and ends when it is told to", async () => {
    const file = join(folder, "a.test.yaml");
    await writeFile(file, `${RULES}cases:\n${BAD}`);
    const stop = new AbortController();
    let runs = 0;
    let waits = 0;
    const ran = runTickwatch(["test", "--watch", file], {
      stop: stop.signal,
      onOut: () => {
        runs += 1;
        if (runs === 2) setImmediate(() => stop.abort());
      },
      onErr: () => {
        waits += 1;
        if (waits === 1) setImmediate(() => void writeFile(file, `${RULES}cases:\n${GOOD}`));
      },
    });
    const { code, out } = await ran;
    expect(code).toBe(0);
    expect(out).toMatch(/FAILED:[\s\S]+OK: 1 case/);
  });
});
