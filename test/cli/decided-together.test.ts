import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { runTickwatch } from "./test-command.ts";

const pools = (from: number, count: number): string =>
  Array.from(
    { length: count },
    (_, at) => `"0x${(from + at).toString(16).padStart(64, "0")}"`,
  ).join(", ");
const rule = (name: string, from: number, count: number, more = ""): string =>
  `  - {name: ${name}, watch: {kind: v4_pool, chain: 1, pools: [${pools(from, count)}]}, when: {metric: tvl_usd, below: 900 usd}${more}}`;

async function check(
  test: TestContext,
  cluster: string,
  args: readonly string[] = [],
  limits = "",
) {
  const folder = await mkdtemp(join(tmpdir(), "tickwatch-together-"));
  test.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const rules = [
    rule("gate", 5_000, 1),
    rule("gated", 1, 120, ", only_while: gate"),
    rule("sum", 1_000, 300, ", across: sum"),
    // Too many: who watches all of them together asks for them beside those who watch each.
    rule("most", 2_000, 1_100, ", across: max"),
    rule("each", 2_000, 1_100),
  ];
  await writeFile(join(folder, "rules.yaml"), `rules:\n${rules.join("\n")}\n`);
  const config = join(folder, "config.yaml");
  await writeFile(
    config,
    `service: {base_url: "http://127.0.0.1:9", api_key: "\${env:KEY}"${limits === "" ? "" : `, ${limits}`}}
rules: [rules.yaml]
channels: {terminal: {kind: console}}
store: "\${env:DATABASE_URL}"
${cluster}
`,
  );
  const env = {
    KEY: "tw_0123456789abcdef",
    DATABASE_URL: "postgres://u:secret-0123@127.0.0.1/x?sslmode=disable",
  };
  return await runTickwatch(["check", "--config", config, ...args], { env });
}

it("check says of several daemons which subjects one of them will watch", async (test) => {
  const { err, code } = await check(test, "cluster: {}");
  expect(code).toBe(0);
  expect(err.split("\n").filter((line) => line.includes("decided together"))).toEqual([
    "warning: 300 of 1,521 subjects are decided together, by rule sum: one daemon of the cluster watches them all",
    "warning: 121 of 1,521 subjects are decided together, by rule gated: one daemon of the cluster watches them all",
  ]);
  const { out } = await check(test, "cluster: {}", ["--json"]);
  expect(JSON.parse(out)).toMatchObject({
    decided_together: [
      { subjects: 300, rules: ["sum"] },
      { subjects: 121, rules: ["gated"] },
    ],
  });
});

it("check says nothing of it where there is one daemon", async (test) => {
  expect((await check(test, "")).err).not.toContain("decided together");
  expect((await check(test, "", ["--json"])).out).not.toContain("decided_together");
});

it("check warns of limits that no two daemons can have a part of", async (test) => {
  const { err } = await check(test, "cluster: {}", [], "concurrency: 1, requests_per_second: 1");
  expect(err.split("\n").filter((line) => line.includes("[cannot-share]"))).toEqual([
    expect.stringContaining(": each daemon sends one request at a time: two daemons send two"),
    expect.stringContaining(": two daemons may each send a request in the same second"),
  ]);
  const alone = await check(test, "", [], "concurrency: 1, requests_per_second: 1");
  expect(alone.err).not.toContain("cannot-share");
  expect((await check(test, "cluster: {}")).err).not.toContain("cannot-share");
});
