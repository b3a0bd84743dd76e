import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";
import { daemonFiles } from "./daemon-files.ts";

const CONFIG = `service: {base_url: "http://localhost:1", api_key: "\${env:KEY}"}
rules: [rules.yaml]
store: tickwatch.db
channels: {ops: {kind: console}}
`;
const RULES = `rules:
  - name: tvl-low
    watch: {kind: v4_pool, chain: 1, pools: [{id: "${POOL_ID}", name: Main}]}
    when: {metric: tvl_usd, below: 500}
    for: 2m
  - name: price
    watch: {kind: v4_pool, chain: 1, pools: [{id: "${POOL_ID}", name: Main}]}
    when: {metric: price0, above: 3000}
`;

describe("tickwatch history", () => {
  const files = daemonFiles(CONFIG, RULES);
  const history = (...args: string[]): ReturnType<typeof files.run> =>
    files.run("history", ...args);

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: START + 20 * MINUTE });
    const world = await World.create(RULES, { store: await files.open() });
    // TVL by minute: 1000, low from minute 4 to 8.
    world.answer = (_ask, date) => {
      const minute = (date - START) / MINUTE;
      if (minute >= 15) return { status: "absent" };
      return ok(poolRecord({ tvl_usd: minute >= 4 && minute < 9 ? 400.25 : 1000 }));
    };
    await world.minutes(20);
    await world.stop();
  });
  afterEach(() => void vi.useRealTimers());

  it("draws the value beside the limit of a rule, and says when it fired", async () => {
    const { code, out, err } = await history(
      "Main",
      "tvl_usd",
      "--last",
      "20m",
      "--rule",
      "tvl-low",
    );
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const lines = out.split("\n");
    expect(lines[0]).toBe("TVL of Main (tvl_usd), 2026-11-28 12:00 UTC to 2026-11-28 12:20 UTC");
    expect(lines.find((line) => line.startsWith(" firing"))).toMatch(/ {20}█{14,16}$/);
    expect(lines.find((line) => line.startsWith("no data"))).toMatch(/ {50}░+$/);
    expect(out).toContain("╌ tvl_usd below 500\n");
    expect(out).toContain("lowest  $400.25 at 2026-11-28 12:04 UTC\n");
    expect(out).toContain("fired 2026-11-28 12:06 UTC, resolved 2026-11-28 12:09 UTC\n");
    expect(out).toMatch(/12:15 UTC {2}2026-11-28 12:20 UTC {2}no data\n$/);
    // Without colours, as on a pipe.
    expect(out).not.toContain("\u001b");
  });

  it("prints exact values for other programs", async () => {
    const { out } = await history("Main", "tvl_usd", "--from", "12:03", "--to", "12:09", "--csv");
    expect(out.split("\n")).toEqual([
      "first,last,value",
      "2026-11-28T12:01:00.000Z,2026-11-28T12:03:00.000Z,1000",
      "2026-11-28T12:04:00.000Z,2026-11-28T12:08:00.000Z,400.25",
      "2026-11-28T12:09:00.000Z,2026-11-28T12:14:00.000Z,1000",
      "",
    ]);
    const json = JSON.parse(
      (await history("main", "tvl_usd", "--rule", "tvl-low", "--json")).out,
    ) as Record<string, unknown>;
    expect(json).toMatchObject({
      subject: `v4_pool:1:${POOL_ID}`,
      name: "Main",
      metric: "tvl_usd",
      from: "2026-11-27T12:20:00.000Z",
      rule: "tvl-low",
      firing: [{ from: "2026-11-28T12:06:00.000Z", to: "2026-11-28T12:09:00.000Z" }],
    });
    expect(json.samples).toHaveLength(4);
    expect(json.samples).toContainEqual({
      first: "2026-11-28T12:15:00.000Z",
      last: "2026-11-28T12:20:00.000Z",
      value: null,
    });
  });

  it.each([
    [["Main"], 1, "say which metric of Main: tvl_usd, price0"],
    [["Main", "tvl"], 1, "v4_pool has no metric tvl; did you mean tvl_usd?"],
    [
      ["Main", "fee"],
      1,
      "fee of Main is not recorded, as no rule compares it; recorded: tvl_usd, price0",
    ],
    [["Mian", "tvl_usd"], 2, "no rule watches Mian; did you mean Main?"],
    [
      ["Main", "tvl_usd", "--rule", "tvl-lwo"],
      2,
      "there is no rule tvl-lwo; did you mean tvl-low?",
    ],
    [
      ["Main", "tvl_usd", "--from", "12:15", "--to", "12:10"],
      2,
      "2026-11-28 12:15 UTC is not before 2026-11-28 12:10 UTC",
    ],
    [["Main", "tvl_usd", "--from", "2h", "--last", "1h"], 2, "use --last or --from, not both"],
    [
      ["Main", "tvl_usd", "--from", "2026-11-01", "--to", "2026-11-02"],
      1,
      "tvl_usd of Main has no sample from 2026-11-01 00:00 UTC to 2026-11-02 00:00 UTC; rounds are " +
        "recorded from 2026-11-28 12:01 UTC to 2026-11-28 12:20 UTC",
    ],
  ])("answers %j in one line", async (args, code, line) => {
    expect(await history(...args)).toEqual({ code, out: "", err: `tickwatch: ${line}\n` });
  });

  it("says so where an older version wrote the database", async () => {
    await files.store()?.close();
    const { loadDriver } = await import("../../src/store/sqlite/driver.ts");
    const db = new (await loadDriver())(files.database());
    db.exec("DROP TABLE alert_changes; PRAGMA user_version = 4");
    db.close();
    const { code, out, err } = await history("Main", "tvl_usd");
    expect({ code, out }).toEqual({ code: 4, out: "" });
    expect(err).toMatch(
      /^tickwatch: \S+tickwatch\.db was written by an older tickwatch, .*: the next `tickwatch run` upgrades it\n$/,
    );
  });
});

describe("tickwatch history of a name that several kinds watch", () => {
  const both = `${RULES}  - name: swaps
    watch: {kind: v4_swaps, chain: 1, pools: [{id: "${POOL_ID}", name: Main}]}
    when: {metric: amount_usd, above: 500k}
`;
  const files = daemonFiles(
    CONFIG.replace("service: {", 'service: {legacy_base_url: "http://localhost:2", '),
    both,
  );
  afterEach(() => void vi.useRealTimers());

  it("means the one that has the metric", async () => {
    const world = await World.create(both, { store: await files.open() });
    world.answer = ({ record }) => (record === "v4_pool" ? ok(poolRecord()) : ok());
    await world.minutes(2);
    vi.useFakeTimers({ toFake: ["Date"], now: world.clock.now() });
    const { out, err } = await files.run("history", "Main", "tvl_usd", "--csv");
    expect({ out, err }).toEqual({
      out: "first,last,value\n2026-11-28T12:01:00.000Z,2026-11-28T12:02:00.000Z,1000\n",
      err: "",
    });
    expect((await files.run("history", "Main")).err).toContain("say which metric of Main");
  });
});

describe("tickwatch history without a database", () => {
  const files = daemonFiles(CONFIG, RULES);
  it("says that no daemon has run", async () => {
    const { code, err } = await files.run("history", "Main");
    expect(code).toBe(4);
    expect(err).toMatch(/there is no database at .*: the daemon has not run yet/);
  });
});
