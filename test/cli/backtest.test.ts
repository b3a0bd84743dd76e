import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { asMap, listOf } from "../../src/base/json.ts";
import { MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";
import { daemonFiles } from "./daemon-files.ts";

const CONFIG = `service: {base_url: "http://127.0.0.1:1", api_key: "\${env:KEY}", timeout: 1s}
rules: [rules.yaml]
store: tickwatch.db
channels: {ops: {kind: console}}
`;
const RULES = `rules:
  - name: tvl-low
    watch: {kind: v4_pool, chain: 1, pools: [{id: "${POOL_ID}", name: "<b>Main</b>"}]}
    when: {metric: tvl_usd, below: 500}
    for: 2m
`;

describe("tickwatch backtest", () => {
  const files = daemonFiles(CONFIG, RULES);
  const span = ["--from", "2026-11-28T12:00Z", "--to", "2026-11-28T12:20Z"];
  const backtest = (...args: string[]): ReturnType<typeof files.run> =>
    files.run("backtest", ...span, ...args);

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: START + 20 * MINUTE });
    const world = await World.create(RULES, { store: await files.open() });
    // Low from minute 4 to 8, lowest at 6, and again at 12 for a minute.
    world.answer = (_ask, date) => {
      const minute = (date - START) / MINUTE;
      const low = minute === 6 ? 300.5 : (minute >= 4 && minute < 9) || minute === 12 ? 400 : 1000;
      return ok(poolRecord({ tvl_usd: low }));
    };
    await world.minutes(20);
    await world.stop();
  });
  afterEach(() => void vi.useRealTimers());

  it("says when a rule fired on what was recorded, and what it said", async () => {
    const { code, out, err } = await backtest();
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("tvl-low: 1 alert,");
    expect(out).toContain("firing 3 min");
    expect(out).toContain("recorded by the daemon");
    expect(out).toMatch(/2026-11-28 12:06 UTC {2}3 min {3}\$300\.50? /);
    expect(out).toMatch(/ops +2 +2/);
  });

  it("says for programs too how many requests it would take", async () => {
    const { code, out } = await backtest("--plan", "--json");
    expect(code).toBe(0);
    const { requests_at_most: all, ...parts } = JSON.parse(out) as Record<string, number>;
    expect(parts).toEqual({
      for_names: expect.any(Number),
      for_histories: expect.any(Number),
      histories_kept: 0,
      lists: 0,
    });
    expect((await backtest("--plan")).out).toContain(`at most ${all ?? 0} request`);
  });

  it("compares values in one table", async () => {
    const { out } = await backtest("--try", "for=0s,2m,10m", "--try", "below=350");
    const rows = out.split("\n").filter((line) => /^ {2}(?:as|for|below)/.test(line));
    expect(rows.map((row) => row.trim().split(/ {2,}/).slice(0, 2))).toEqual([
      ["as it is", "1"],
      ["for=0s", "2"],
      ["for=2m", "1"],
      ["for=10m", "0"],
      ["below=350", "0"],
    ]);
  });

  it("tries a key of the only part of a condition that has it", async () => {
    const parts = "{all: [{metric: tvl_usd, below: 500}, {not: {metric: tvl_usd, at_most: 1}}]}";
    const text = RULES.replace("{metric: tvl_usd, below: 500}", parts);
    await files.write("rules.yaml", text);
    const { out } = await backtest("--try", "below=350", "--try", "at_most=450");
    const rows = out.split("\n").filter((line) => /^ {2}(?:as|at_most|below)/.test(line));
    expect(rows.map((row) => row.trim().split(/ {2,}/).slice(0, 2))).toEqual([
      ["as it is", "1"],
      ["below=350", "0"],
      ["at_most=450", "0"],
    ]);
    await files.write("rules.yaml", text.replace("at_most: 1", "below: 1"));
    expect((await backtest("--try", "below=350")).err).toBe(
      "tickwatch: --try below: 2 parts of the condition of tvl-low have it: write the other versions to a file and use --compare\n",
    );
  });

  it("gives the table as JSON and CSV, and a version that is the rule itself the same figures", async () => {
    const { out } = await backtest("--try", "for=2m,0s", "--suggest", "1/day", "--json");
    const { rules }: { rules: { rule: string; versions: unknown[] }[] } = JSON.parse(out);
    const asItIs = {
      version: null,
      suggested: false,
      refusal: null,
      alerts: 1,
      firing_seconds: 180,
      longest_seconds: 180,
      notices: 2,
    };
    expect(rules[0]?.rule).toBe("tvl-low");
    expect(rules[0]?.versions.slice(0, 3)).toMatchObject([
      asItIs,
      { ...asItIs, version: "for=2m" },
      { version: "for=0s", alerts: 2, firing_seconds: 360, longest_seconds: 300, notices: 4 },
    ]);
    expect(rules[0]?.versions.slice(3)).toContainEqual(
      expect.objectContaining({ version: expect.stringMatching(/^below \$/), suggested: true }),
    );
    const { out: csv } = await backtest("--try", "for=0s", "--csv");
    expect(csv.trim().split("\n")).toEqual([
      "rule,version,suggested,alerts,alerts_per_week,firing_seconds,longest_seconds,notices",
      "tvl-low,,false,1,504,180,180,2",
      "tvl-low,for=0s,false,2,1008,360,300,4",
    ]);
  });

  it.each([
    // From 1,000 it falls by 60%, and then by 69.95%.
    [
      "falls: 10%, within: 5m",
      { "falls 70%": 0, "falls 50%": 2, "falls 10%": 2 },
      /^falls (?:[1-9]|[1-5]\d)%$/,
    ],
    // By 600 and then by 699.5, which is also the whole range: 70% of it are 489.65.
    ["falls: 100usd, within: 5m", { "falls $699.50": 1, "falls $489.65": 2 }, /^falls \$/],
    // Back by 150%; of what was seen once nothing is measured.
    ["moves: 10%, since: 1m", { "moves 200%": 0, "moves 150%": 1 }, /^moves /],
    // It stays at 1,000 from minute 13 on, and for three minutes before that.
    ["unchanged: 5m", { "unchanged 10m": 0, "unchanged 5m": 1 }, /^unchanged /],
  ])("suggests the number of %s", async (when, known, suggested) => {
    const text = RULES.replace("below: 500", when).replace("    for: 2m\n", "");
    await files.write("rules.yaml", text);
    const { out, err } = await backtest("--suggest", "100/day", "--json");
    expect(err).toBe("");
    const [rule] = listOf(asMap(JSON.parse(out))?.rules);
    const rows = listOf(asMap(rule)?.versions).map((row) => asMap(row) ?? {});
    const alerts = new Map(rows.map(({ version, alerts: count }) => [version, count]));
    for (const [version, count] of Object.entries(known)) {
      if (alerts.has(version)) expect([version, alerts.get(version)]).toEqual([version, count]);
    }
    expect(Object.keys(known).some((version) => alerts.has(version))).toBe(true);
    expect(rows.find((row) => row.suggested === true)?.version).toMatch(suggested);
  });

  it.each(["outside: [300, 500]", "crosses: 500"])(
    "suggests no number for %s, and says of what it can",
    async (when) => {
      await files.write(
        "rules.yaml",
        RULES.replace("below: 500", when).replace("    for: 2m\n", ""),
      );
      const { code, out, err } = await backtest("--suggest", "1/day");
      expect([code === 0, out]).toEqual([false, ""]);
      expect(err).toBe(
        "tickwatch: --suggest: the condition of tvl-low has no single number to choose; it can choose that of above, below, at_least or at_most a number, rises, falls or moves, unchanged and no_update_for\n",
      );
    },
  );

  it("tells which notices another version would change", async () => {
    await files.write("other.yaml", RULES.replace("for: 2m", "for: 0s"));
    const { out } = await backtest("--compare", join(dirname(files.database()), "other.yaml"));
    const lines = out.trim().split("\n");
    // It fires two minutes earlier, ends at the same time, and once more.
    expect(lines[0]).toMatch(/^1 notice in both, 1 that .* does not send \(-\), 3 that only/);
    expect(lines.filter((line) => line.startsWith("+"))).toHaveLength(3);
  });

  it("replays the gates of a rule that is asked for by name, and says which it cannot", async () => {
    const named = RULES.replace(
      "    for: 2m",
      "    for: 2m\n    unless: full\n    only_while: held",
    );
    await files.write(
      "rules.yaml",
      `${named}
  - name: full
    watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: tvl_usd, above: 100}
  - name: held
    watch: {kind: holder_count, chain: 1, token: "0x${"12".repeat(20)}"}
    when: {metric: holder_count, above: 5}
`,
    );
    const { out } = await backtest("tvl-low", "--json");
    const { rules, messages } = asMap(JSON.parse(out)) ?? {};
    const [rule, ...others] = listOf(rules);
    expect(others).toEqual([]);
    // It fires, and nobody is told: `full` fires all along.
    expect(rule).toMatchObject({
      rule: "tvl-low",
      alerts: 1,
      notices: {},
      source: expect.stringContaining("its gate held is assumed open (holder_count: no daemon"),
    });
    expect(messages).toEqual([{ channel: "ops", messages: 0, notices: 0, dropped: 0 }]);
  });

  it.each([
    ["--html", "r.html", "--try", "for=0s"],
    ["--csv", "--compare", "rules.yaml"],
    ["--compare", "rules.yaml", "--try", "for=0s"],
  ])("refuses %s beside a table that it would leave out", async (...args) => {
    const { code, err } = await backtest(...args);
    expect(code).toBe(2);
    expect(err).toContain("cannot be used with option");
  });

  it("writes a page that loads nothing and takes no name for markup", async () => {
    const path = join(dirname(files.database()), "report.html");
    await backtest("--html", path);
    const html = await readFile(path, "utf8");
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/<b>|<script|https?:/);
    expect(html).toContain("&#60;b&#62;Main");
  });

  it.each([
    [["--try", "abov=3"], "--try abov: no condition of these rules has it"],
    [["--try", "below"], "--try below: write it as KEY=VALUE,VALUE"],
    [["--suggest", "2/fortnight"], "write it like 2/week"],
    [["tvl-lwo"], "did you mean"],
  ])("says in one line what is wrong with %j", async (args, message) => {
    const { code, err } = await backtest(...args);
    expect(code).not.toBe(0);
    expect(err.trim().split("\n")).toEqual([expect.stringContaining(message)]);
    expect(err).toContain(message);
  });

  it("refuses a span that is still to come", async () => {
    expect(await files.run("backtest", "--from", "2030-01-01T00:00Z")).toEqual({
      code: 2,
      out: "",
      err: "tickwatch: 2030-01-01 00:00 UTC is in the future: --from must be in the past\n",
    });
  });
});
