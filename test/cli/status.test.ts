import { unlink } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { openChainDb } from "../../src/chain/db/open.ts";
import { ChainTables } from "../../src/chain/index/chain-tables.ts";
import { withNotificationState } from "../../src/decide/notification-state.ts";
import type { ChannelTrouble } from "../../src/delivery/event.ts";
import { troublesToText } from "../../src/delivery/troubles.ts";
import { CHANNELS_MARK, CONFIGURATION_MARK, NO_CHANGE } from "../../src/model/index.ts";
import { NO_CHANGES, stateToText } from "../../src/ops/reload/configuration-state.ts";
import type { Store } from "../../src/store/store.ts";
import { makeAlert } from "../support/nouns.ts";
import { daemonFiles } from "./daemon-files.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const TOKEN = `0x${"12".repeat(20)}`;

const CONFIG = `
service: {base_url: "http://127.0.0.1:1", api_key: "\${env:KEY}"}
rules: [rules.yaml]
channels: {console: {kind: console}}
`;
const TIPS = "{name: tips, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}}";
const DAILY = `{name: daily, schedule: "0 9 * * *", timezone: Asia/Tokyo, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}}`;
const supply = (name: string, chains: string): string =>
  `{name: ${name}, watch: {kind: token_supply, chain: ${chains}, token: "${TOKEN}", decimals: 6}, when: {metric: total_supply, below: 5}}`;
const rulesOf = (...rules: string[]): string =>
  `rules:\n${rules.map((rule) => `  - ${rule}\n`).join("")}`;

interface StatusJson {
  readonly healthy: boolean;
  readonly rules: readonly { rule: string; lastRound: string | null; late: boolean | null }[];
}

describe("tickwatch status", () => {
  const files = daemonFiles(CONFIG, rulesOf(TIPS, DAILY));
  const status = (...args: string[]) => files.run("status", ...args);
  const json = async (): Promise<StatusJson> =>
    JSON.parse((await status("--json")).out) as StatusJson;

  let store: Store;
  /** A daemon starts on the files as they are, and has rounds of these rules. */
  async function daemon(rounds: Readonly<Record<string, number>> = {}): Promise<void> {
    store = await files.open();
    await files.start();
    await roundsOf(rounds);
  }
  async function roundsOf(rounds: Readonly<Record<string, number>>): Promise<void> {
    const closed = Object.entries(rounds).map(([rule, date]) => ({ date, rules: [rule] }));
    await store.commit({ ...NO_CHANGE, closed });
  }
  /** By hand, as another version might have it. */
  async function write(sql: string): Promise<void> {
    const { loadDriver } = await import("../../src/store/sqlite/driver.ts");
    const db = new (await loadDriver())(files.database());
    db.exec(sql);
    db.close();
  }

  it("says that no daemon has run where there is no database", async () => {
    expect(await status()).toEqual({
      code: 1,
      out: `not healthy: there is no database at ${files.database()}: the daemon has not run yet\n`,
      err: "",
    });
    expect(await json()).toMatchObject({ healthy: false, rules: [] });
  });

  it("waits for the first round", async () => {
    await daemon();
    expect(await status()).toEqual({
      code: 1,
      out: "not healthy: no rule has had a round yet\n",
      err: "",
    });
    expect(await json()).toMatchObject({
      healthy: false,
      rules: [
        { rule: "daily", lastRound: null, late: false },
        { rule: "tips", lastRound: null, late: false },
      ],
    });
  });

  it("is healthy once rounds run, and does not wait for what has not been due yet", async () => {
    await daemon({ tips: Date.now() - 90_000 });
    expect(await status()).toEqual({
      code: 0,
      out: expect.stringMatching(
        /^healthy: 2 rules, the last round 1 min 3\d s ago; 0 alerts firing, 0 notices queued\n$/,
      ),
      err: "",
    });
  });

  it("is not healthy without a daemon, however long its rules may still take", async () => {
    await daemon({ daily: Date.now() - MINUTE });
    expect(await json()).toMatchObject({ healthy: true, running: true });
    await store.close();
    expect(await status()).toEqual({
      code: 1,
      out: expect.stringMatching(
        /^not healthy: no daemon runs, the last round 1 min(?: \d s)? ago; 0 alerts firing, 0 notices queued\n$/,
      ),
      err: "",
    });
    expect(await json()).toMatchObject({ healthy: false, running: false });
  });

  it("says of a daemon that runs that it writes nothing", async () => {
    await daemon({ tips: Date.now() - HOUR });
    expect((await status()).out).not.toContain("writes nothing");
    await roundsOf({ daily: Date.now() - 5 * DAY });
    const { code, out } = await status();
    expect(code).toBe(1);
    expect(out).toMatch(/^not healthy: 2 rules of 2 late;/);
    expect(out).toContain(
      "\n  the daemon runs, but writes nothing into its database: its log says",
    );
  });

  it("says of a daemon that runs that its database is gone", async () => {
    await daemon({ tips: Date.now() });
    await unlink(files.database());
    expect(await status()).toEqual({
      code: 1,
      out: `not healthy: the database at ${files.database()} is gone, and a daemon watches on in memory; its log says more\n`,
      err: "",
    });
  });

  it("says where the page is, once the daemon has one that people reach", async () => {
    await daemon({ tips: Date.now() });
    expect(await json()).toMatchObject({ page: null });
    const value = stateToText({
      loadedAt: Date.now(),
      page: "https://watch.example.org",
      failure: null,
      needsRestart: [],
      waitsFor: [],
      isOlder: false,
      changes: NO_CHANGES,
      answered: null,
      salt: "",
      fingerprints: {},
    });
    await store.commit({ ...NO_CHANGE, marks: [{ subject: CONFIGURATION_MARK, value }] });
    expect((await status()).out).toMatch(/^ {2}page: https:\/\/watch\.example\.org$/m);
    expect(await json()).toMatchObject({ page: "https://watch.example.org" });
  });

  it("is not healthy while a channel delivers nothing, as the daemon found", async () => {
    await daemon({ tips: Date.now() });
    const since = Date.now() - 20 * MINUTE;
    const trouble = { since, reason: "no answer (ENOTFOUND)", rejects: false, told: false };
    const keep = async (troubles: Record<string, ChannelTrouble>): Promise<void> => {
      const value = troublesToText(new Map(Object.entries(troubles)));
      await store.commit({ ...NO_CHANGE, marks: [{ subject: CHANNELS_MARK, value }] });
    };
    await keep({ slack: trouble });
    expect((await status()).code).toBe(0);
    await keep({
      slack: { ...trouble, told: true },
      mail: { since, reason: "HTTP 404", rejects: true, told: true },
    });
    const { code, out } = await status();
    expect(code).toBe(1);
    // Seconds go by meanwhile.
    expect(out).toMatch(
      /^ {2}channel slack has delivered nothing for 2\d min.*: no answer \(ENOTFOUND\)\n {2}channel mail has rejected messages for 2\d min.*: HTTP 404$/m,
    );
    expect(await json()).toMatchObject({
      healthy: false,
      channels: [
        {
          channel: "slack",
          since: new Date(since).toISOString(),
          rejects: false,
          reason: "no answer (ENOTFOUND)",
        },
        { channel: "mail", rejects: true },
      ],
    });
    await keep({});
    expect(await status()).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^healthy: 2 rules, the last round /),
    });
  });

  it("names the rules whose last round is more than three of their intervals ago", async () => {
    await daemon({ tips: Date.now() - 4 * MINUTE, daily: Date.now() - 4 * MINUTE });
    const { code, out } = await status();
    expect(code).toBe(1);
    expect(out.replace(/ \d+ s ago/, " ago")).toBe(
      "not healthy: 1 rule of 2 late; 0 alerts firing, 0 notices queued\n" +
        "  tips had its last round 4 min ago; its schedule is 1m\n",
    );
    expect((await json()).rules.map(({ late }) => late)).toEqual([false, true]);
  });

  it("counts the times of a cron in its time zone", async () => {
    // A whole hour that was in the last three; in Tokyo it is 9 hours later by the clock.
    const time = Math.floor(Date.now() / HOUR - 2) * HOUR;
    const hour = (new Date(time).getUTCHours() + 9) % 24;
    await files.write("rules.yaml", rulesOf(DAILY.replace("0 9 *", `0 ${hour} *`)));
    await daemon({ daily: time - 2 * DAY });
    expect((await status()).code).toBe(0);
    await roundsOf({ daily: time - 2 * DAY - MINUTE });
    const { code, out } = await status();
    expect(code).toBe(1);
    expect(out).toContain(`; its schedule is 0 ${hour} * * *\n`);
  });

  it("goes on while the rules are broken by an edit, and a channel's secret is unset", async () => {
    await daemon({ tips: Date.now() });
    await files.write("rules.yaml", "rules: [");
    await files.write("config.yaml", `${CONFIG}routes: {oops}\n`.replace("env:KEY", "env:UNSET"));
    expect(await status()).toMatchObject({ code: 0, err: "" });
  });

  it("speaks of what the daemon watches, not of files that were edited since", async () => {
    await daemon({ tips: Date.now() });
    await files.write("rules.yaml", rulesOf(TIPS, supply("new", "1")));
    const names = async () => (await json()).rules.map(({ rule }) => rule);
    expect(await names()).toEqual(["daily", "tips"]);
    await files.start();
    expect(await names()).toEqual(["new", "tips"]);
  });

  it("goes by an edited schedule from the next start on", async () => {
    await daemon({ tips: Date.now() - 10 * MINUTE });
    expect((await status()).code).toBe(1);
    await files.write(
      "rules.yaml",
      rulesOf(TIPS.replace("name: tips", "name: tips, schedule: 6h")),
    );
    expect((await status()).code).toBe(1);
    await files.start();
    expect((await status()).code).toBe(0);
  });

  it("calls a subject with its chain where its rule watches several, and only there", async () => {
    await files.write(
      "rules.yaml",
      rulesOf(TIPS, supply("one", "137"), supply("more", "[1, 137, 143]")),
    );
    await daemon({ tips: Date.now() });
    const life = { acked: { by: "anna", at: Date.UTC(2026, 10, 28, 12) } };
    const alerts = ["one", "more"].map((rule) =>
      withNotificationState(
        makeAlert({ rule, subject: `token_supply:137:${TOKEN}`, label: "AUSD", state: "firing" }),
        life,
      ),
    );
    await store.commit({ ...NO_CHANGE, alerts });
    const { out } = await status();
    expect(out).toMatch(/\n {2}more firing for .*: AUSD on Polygon\n {2}one firing for .*: AUSD\n/);
    expect(out).toContain("\n  AUSD on Polygon of more acknowledged by anna since");
    expect(out).toContain("\n  AUSD of one acknowledged by anna since");
  });

  it("says of which rules subjects have no data, and is healthy all the same", async () => {
    await files.write("rules.yaml", rulesOf(TIPS, supply("supply", "[1, 137, 143]")));
    await daemon({ tips: Date.now(), supply: Date.now() });
    const gone = (rule: string, subject: string, minutes: number, told: boolean) =>
      makeAlert({
        rule,
        subject,
        label: subject.startsWith("gas") ? null : "AUSD",
        missing: { since: Date.now() - minutes * MINUTE, rounds: minutes, told },
      });
    const alerts = [
      gone("tips", "gas:1", 9, true),
      gone("supply", `token_supply:1:${TOKEN}`, 1, false),
      gone("supply", `token_supply:137:${TOKEN}`, 20, true),
      gone("supply", `token_supply:143:${TOKEN}`, 30, true),
    ];
    await store.commit({ ...NO_CHANGE, alerts });
    const { code, out } = await status();
    expect(code).toBe(0);
    expect(out.replace(/\d+ s ago/, "0 s ago").replaceAll(/ min \d+ s: /g, " min: ")).toBe(
      "healthy: 2 rules, the last round 0 s ago; 0 alerts firing, 3 without data, 0 notices queued\n" +
        "  supply has no data for 30 min: AUSD on Monad and 1 more\n" +
        "  tips has no data for 9 min: gas:1\n",
    );
    expect(await json()).toMatchObject({
      healthy: true,
      no_data: 3,
      rules: [
        { rule: "supply", no_data: 2 },
        { rule: "tips", no_data: 1 },
      ],
    });
  });

  it.each([
    ["a schedule of another version", `UPDATE rule_versions SET source = '{"schedule":"moon 4"}'`],
    ["no schedule", `UPDATE rule_versions SET source = '{"schedule":null}'`],
    ["something else", `UPDATE rule_versions SET source = '{"schedule":{"every":5}}'`],
    ["no text that can be read", "UPDATE rule_versions SET source = 'tips above 5'"],
    ["nothing at all", "DELETE FROM rule_versions"],
  ])("calls no rule late by guess, nor healthy, when its version holds %s", async (_what, sql) => {
    await daemon({ tips: Date.now() - DAY, daily: Date.now() });
    await write(sql);
    const { code, out } = await status();
    expect({ code, out: out.replace(/\d+ s ago/, "0 s ago") }).toEqual({
      code: 1,
      out:
        "not healthy: 2 rules, the last round 0 s ago; 0 alerts firing, 0 notices queued\n" +
        "  unknown whether late: 2 rules, whose schedule this version cannot read\n",
    });
    expect((await json()).rules.map(({ late }) => late)).toEqual([null, null]);
  });

  it("is healthy by the rules whose schedules it knows", async () => {
    await daemon({ tips: Date.now(), daily: Date.now() - 9 * DAY });
    await write(
      "UPDATE rule_versions SET source = 'x' WHERE json_extract(source, '$.name') = 'daily'",
    );
    const { code, out } = await status();
    expect(code).toBe(0);
    expect(out).toContain(
      "\n  unknown whether late: 1 rule, whose schedule this version cannot read\n",
    );
  });

  it.each([
    ["no YAML", "rules: [", /^config\.yaml:1:9: /],
    ["a wrong store", "store: [a, b]\n", /^config\.yaml:1:8: store is a list/],
    [
      "an unset store",
      `a: 1\nstore: "\${env:NOWHERE}"\n`,
      /^config\.yaml:2:8: .*NOWHERE is not set/,
    ],
    ["a list", "- a\n", /^config\.yaml:1:1: the configuration is a list/],
  ])("refuses a configuration with %s", async (_what, text, problem) => {
    await files.write("config.yaml", text);
    const { code, out, err } = await status();
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err.replace(/\S*config\.yaml/, "config.yaml")).toMatch(problem);
  });
});

describe("tickwatch status of a daemon with nodes", () => {
  const files = daemonFiles(
    `
service: {rpc: {chains: {1: {urls: ["\${env:NOT_THERE}"]}}}}
rules: [rules.yaml]
channels: {console: {kind: console}}
`,
    rulesOf(TIPS),
  );

  /** What a daemon that indexes wrote down so long (ms) ago. */
  async function note(ago: number): Promise<void> {
    const db = await openChainDb(files.database().replace(/tickwatch\.db$/, "chain.db"));
    const tables = new ChainTables(db, 1);
    const gas = { work: "gas of 90 days", share: 0.6149, leftMs: 6 * MINUTE };
    tables.write(() => tables.progress.put([gas], Date.now() - ago));
    db.close();
  }
  async function reading(): Promise<unknown> {
    const { out } = await files.run("status", "--json");
    return (JSON.parse(out) as { reading: unknown }).reading;
  }

  it("says how far the past is read, without the secret of a URL", async () => {
    expect(await reading()).toEqual([]);
    await note(5_000);
    expect(await reading()).toEqual([
      { chain_id: 1, work: "gas of 90 days", share: 0.6149, left_seconds: 360 },
    ]);
  });

  it("says nothing of a daemon that stopped meanwhile", async () => {
    await note(10 * MINUTE);
    expect(await reading()).toEqual([]);
  });
});
