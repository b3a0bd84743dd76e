import { readdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { mountSmallDisk, unmount } from "../support/small-disk.ts";
import {
  failed,
  MINUTE,
  ok,
  POOL_ID,
  poolRecord,
  positionRecord,
  START,
  World,
} from "../support/world.ts";
import { daemonFiles } from "./daemon-files.ts";

const OTHER_ID = `0x${"cd".repeat(32)}`;
const CONFIG = `service: {base_url: "http://localhost:1", legacy_base_url: "http://localhost:2", api_key: "\${env:KEY}"}
rules: [rules.yaml]
store: tickwatch.db
channels: {console: {kind: console}, slack: {kind: console}}
`;
const RULES = `references:
  side: {watch: {kind: v4_pool, chain: 1, pools: ["${OTHER_ID}"]}, metric: tvl_usd}
rules:
  - name: tvl-low
    watch:
      kind: v4_pool
      chain: 1
      pools: [{id: "${POOL_ID}", name: Main}, {id: "${OTHER_ID}"}]
    when: {metric: tvl_usd, below: 500}
    for: 2m
  - name: range
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [{id: 42, name: "Treasury: ETH/USDC"}]}
    when: {metric: in_range, equals: false}
  - name: beside
    watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: tvl_usd, below: 50% of side}
  - name: gated
    watch: {kind: v4_pool, chain: 1, pools: [{id: "${POOL_ID}", name: Main}]}
    when: {metric: tvl_usd, below: 500}
    only_while: [range]
  - name: swaps
    watch: {kind: v4_swaps, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: amount_usd, above: 500k}
`;

describe("tickwatch test --from-history", () => {
  const files = daemonFiles(CONFIG, RULES);
  const from = (...args: string[]): ReturnType<typeof files.run> =>
    files.run("test", "--from-history", ...args);

  beforeEach(async () => {
    const world = await World.create(RULES, { store: await files.open() });
    world.answer = ({ record, id }, date) => {
      const minute = (date - START) / MINUTE;
      if (record === "v4_position") return ok(positionRecord());
      if (record !== "v4_pool") return failed;
      if (minute === 12 && id === POOL_ID) return failed;
      const tvl_usd = id === POOL_ID && minute >= 10 && minute < 16 ? 400.25 : 1000;
      const current_tick = minute >= 10 && minute < 14 ? -198_000 : -199_500;
      return ok(poolRecord({ pool_id: id, tvl_usd, current_tick }));
    };
    await world.minutes(30);
    await world.stop();
    vi.useFakeTimers({ toFake: ["Date"], now: START + 30 * MINUTE });
  });
  afterEach(() => void vi.useRealTimers());

  it("writes down what was recorded, with what the rule makes of it", async () => {
    const { code, out, err } = await from("tvl-low", "Main", "--around", "12:14");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("#   2026-11-28 12:13 UTC fired: ");
    expect(out).toContain("start: 2026-11-28T12:02:00Z\nevery: 1m\n");
    expect(out).toContain(
      '      Main:\n        tvl_usd: "1000x8 400.25x2 fail 400.25x3 1000x11"\n',
    );
    expect(out).toContain(`      "v4_pool:1:${OTHER_ID}":\n        tvl_usd: "1000x25"\n`);
    expect(out).toContain(
      "    expect:\n      - {at: 11m, kind: fired, subject: Main}\n      - {at: 14m, kind: resolved, subject: Main}\n",
    );
  });

  it("leaves nothing where the disk is full, and says so", async ({ skip }) => {
    const disk = mountSmallDisk(4_096);
    if (disk === null) return skip();
    try {
      writeFileSync(join(disk, "filler"), Buffer.alloc(4_096));
      const file = join(disk, "miss.test.yaml");
      expect(await from("tvl-low", "--around", "12:14", "--out", file)).toEqual({
        code: 1,
        out: "",
        err: "tickwatch: the test cannot be written (ENOSPC); see --out\n",
      });
      expect(readdirSync(disk)).toEqual(["filler"]);
    } finally {
      unmount(disk);
    }
  });

  it("makes tests that pass, beside their rules", async () => {
    const path = join(dirname(files.database()), "miss.test.yaml");
    for (const rule of ["tvl-low", "range", "beside", "gated"]) {
      const file = path.replace("miss", rule);
      const { code, out, err } = await from(rule, "--around", "12:14", "--out", file);
      expect({ code, out }).toEqual({ code: 0, out: "" });
      expect(err).toContain(`wrote ${file}; run it with`);
      expect(await readFile(file, "utf8")).toContain("rule_files: [rules.yaml]");
      const ran = await files.run("test", file);
      expect(ran).toMatchObject({ code: 0, err: "" });
      expect(ran.out).toContain("1 passed");
      // It is never written over.
      expect(await from(rule, "--around", "12:14", "--out", file)).toMatchObject({
        code: 2,
        err: `tickwatch: ${file} exists: name another file\n`,
      });
    }
    const range = await readFile(path.replace("miss", "range"), "utf8");
    expect(range).toContain("v4_position: {lower_tick: -10, upper_tick: 10, liquidity: 1}");
    expect(range).toContain("- {at: 6m, kind: fired}");
    const beside = await readFile(path.replace("miss", "beside"), "utf8");
    expect(beside).toContain(`      "v4_pool:1:${OTHER_ID}":\n        tvl_usd: "1000x`);
    const gated = await readFile(path.replace("miss", "gated"), "utf8");
    expect(gated).toMatch(/kind: fired, rule: range, subject: "Treasury: ETH\/USDC"\}/);
    // It is below 500 from minute 10 to 15, and the range is left from 10 to 13.
    expect(gated).toMatch(/\{at: 6m, kind: fired, subject: Main\}/);
    expect(gated).toMatch(/\{at: 10m, kind: resolved, subject: Main\}/);
  });

  it.each([
    [["tvl-low"], 2, "say around which time: --around 2026-11-02T03:10Z, or 03:10"],
    [
      ["tvl-low", "Main", "--around", "2026-11-02T03:10Z"],
      1,
      "nothing is recorded around 2026-11-02 03:10 UTC: rounds are recorded from 2026-11-28 12:01 UTC to 2026-11-28 12:30 UTC",
    ],
    [["swaps", "--around", "12:14"], 1, "swaps looks at single entries, which are not kept"],
    [["tvl-lwo", "--around", "12:14"], 2, "there is no rule tvl-lwo; did you mean tvl-low?"],
    [["tvl-low", "Mian", "--around", "12:14"], 2, "tvl-low watches no Mian; did you mean Main?"],
  ])("answers %j in one line", async (args, code, line) => {
    expect(await from(...args)).toEqual({ code, out: "", err: `tickwatch: ${line}\n` });
  });
});
