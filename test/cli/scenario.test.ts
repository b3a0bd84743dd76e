import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NO_SCENARIO, readScenario } from "../../src/cli/scenario.ts";
import { ConfigError, formatProblem } from "../../src/config/files/text-file.ts";
import { EVENTS_AND_FAULTS } from "./scenario-text.ts";

const EXAMPLES = fileURLToPath(new URL("../../docs/examples", import.meta.url));
const POOL = "0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-scenario-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function read(text: string) {
  const path = join(folder, "s.yaml");
  await writeFile(path, text);
  return readScenario(path);
}

/** What is wrong, without the folder and the lines that show the text. */
async function wrong(text: string): Promise<string[]> {
  const error: unknown = await read(text).catch((cause: unknown) => cause);
  if (!(error instanceof ConfigError)) throw new Error("nothing is wrong with it");
  return error.problems.map((problem) =>
    (formatProblem(problem).split("\n")[0] ?? "").replace(`${folder}/`, ""),
  );
}

describe("a scenario", () => {
  it("has events and faults of every kind", async () => {
    const { script, faults } = await read(EVENTS_AND_FAULTS);
    expect(script.map(({ kind }) => kind)).toEqual([
      "price",
      "liquidity",
      "tips",
      "close",
      "owner",
      "mint",
      "transfer",
      "sell",
      "holders",
      "peg",
    ]);
    expect(script[0]).toEqual({
      kind: "price",
      at: 180_000,
      pool: POOL,
      factor: 0.93,
      over: 300_000,
      hold: 60_000,
      back: 60_000,
    });
    expect(script[5]).toMatchObject({ chain: 137, amount: -2_500_000 });
    expect(faults).toEqual([
      { kind: "status", at: 0, for: 60_000, endpoint: null, status: 503, retryAfter: 2 },
      { kind: "hang", at: 0, for: 60_000, endpoint: "v4_pool" },
      { kind: "slow", at: 0, for: 60_000, endpoint: null, ms: 1_000 },
      { kind: "empty", at: 0, for: 60_000, endpoint: null },
      { kind: "html", at: 0, for: 60_000, endpoint: null },
      { kind: "truncated", at: 0, for: 60_000, endpoint: null },
      { kind: "missing", at: 0, for: 60_000, endpoint: null, ids: ["128404", POOL] },
      { kind: "null", at: 0, for: 60_000, endpoint: null, fields: ["tvl_usd"] },
      { kind: "lag", at: 0, for: 60_000, endpoint: null, ms: 1_800_000 },
    ]);
  });

  it("may be empty of either", async () => {
    expect(await read("events: []\n")).toEqual(NO_SCENARIO);
  });

  it("tells what is wrong with line and column", async () => {
    expect(
      await wrong(`
events:
  - {kind: price, at: 3m, pool: ${POOL}, factor: fast, over: 5m}
  - {kind: tips, at: 3m, chain: ethereum, factor: 2}
  - {kind: quake, at: 3m}
  - {kind: mint, at: 3m, chain: polygon, amount: 1, extra: 2}
fault: []
`),
    ).toEqual([
      expect.stringMatching(/^s\.yaml:3:109: factor "fast" is not a number/),
      expect.stringMatching(/^s\.yaml:4:\d+: for is missing/),
      expect.stringMatching(/^s\.yaml:5:\d+: /),
      expect.stringMatching(
        /^s\.yaml:6:53: unknown key `extra` in an event, expected kind, at, chain, amount/,
      ),
      expect.stringMatching(/^s\.yaml:7:1: .*fault.*faults/),
    ]);
  });

  it("names what the market has", async () => {
    const pool = `0x${"ab".repeat(32)}`;
    expect(
      await wrong(`events:\n  - {kind: price, at: 3m, pool: ${pool}, factor: 2, over: 5m}\n`),
    ).toEqual([expect.stringMatching(/^s\.yaml:2:\d+: no pool 0xabab/)]);
  });

  it("that is not there is told as such", async () => {
    await expect(readScenario(join(folder, "none.yaml"))).rejects.toThrow(/does not exist/);
  });

  it("of the examples can be read", async () => {
    const files = (await readdir(EXAMPLES)).filter((name) => name.endsWith(".yaml"));
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      const { script, faults } = await readScenario(join(EXAMPLES, file));
      expect([...script, ...faults]).not.toEqual([]);
    }
  });
});
