import { describe, expect, it } from "vitest";
import { NO_CHANGE, type Silence } from "../../src/model/index.ts";
import type { Store } from "../../src/store/store.ts";
import { noticeOf } from "../support/notices.ts";
import { makeAlert } from "../support/nouns.ts";
import { daemonFiles } from "./daemon-files.ts";
import type { Ran } from "./test-command.ts";

const HOUR = 3_600_000;
const POOL = `0x${"ab".repeat(32)}`;
const TOKEN = `0x${"12".repeat(20)}`;
const KEY = `v4_pool:1:${POOL}`;
const RULES = `
rules:
  - name: tips
    labels: {team: gas}
    watch: {kind: gas, chain: [1, 137]}
    when: {metric: tip_top10, above: 5 gwei}
  - name: tvl
    labels: {team: lp}
    watch: {kind: v4_pool, chain: 1, pools: ["${POOL}"]}
    when: {metric: tvl_usd, below: 1000 usd}
  - name: supply
    watch: {kind: token_supply, chain: [1, 137], token: "${TOKEN}", decimals: 6}
    when: {metric: total_supply, below: 5 tokens}
`;
const CONFIG = `
service: {base_url: "http://127.0.0.1:1", api_key: "\${env:KEY}"}
rules: [rules.yaml]
channels: {terminal: {kind: console}}
`;

describe("tickwatch silence", () => {
  const files = daemonFiles(CONFIG, RULES);

  /** The store as a running daemon holds it: the chain has named the pool. */
  async function daemon(): Promise<Store> {
    const opened = await files.open();
    const alerts = [makeAlert({ rule: "tvl", subject: KEY, label: "ETH/USDC 0.05%" })];
    await opened.commit({ ...NO_CHANGE, alerts });
    return opened;
  }
  const { run } = files;
  const silence = (...args: string[]): Promise<Ran> => run("silence", ...args);
  const inForce = async (): Promise<readonly Silence[]> =>
    (await files.store()?.silences(Date.now())) ?? [];

  it("is listed and ended while the rules are broken by an edit, and needs them for names alone", async () => {
    await daemon();
    await silence("add", "--rule", "tips", "--for", "2h");
    await silence("add", "--subject", KEY, "--for", "2h");
    await files.write("rules.yaml", "rules: [");
    expect((await silence("list", "--json")).out).toContain(KEY);
    expect((await silence("list")).code).toBe(2);
    expect((await silence("expire", "2")).code).toBe(0);
    expect((await silence("list")).out).toContain("rule tips");
    expect((await silence("add", "--rule", "tips", "--for", "2h")).code).toBe(2);
  });

  it("ends with exit code 4 where no daemon has run", async () => {
    const { code, err } = await silence("add", "--rule", "tips", "--for", "2h");
    expect(code).toBe(4);
    expect(err).toContain("the daemon has not run");
  });

  it("begins one beside a daemon, lists it and ends it", async () => {
    await daemon();
    const added = await silence(
      "add",
      "--rule",
      "TIPS",
      "--for",
      "2h",
      "--by",
      "anna",
      "--comment",
      "fork",
    );
    expect(added).toMatchObject({ code: 0, err: "" });
    expect(added.out).toMatch(
      /^silence 1 by anna: rule tips; 2 alerts\nuntil \d{4}-.* UTC \(2 h\); `tickwatch silence expire 1` ends it\n$/,
    );
    const [made] = await inForce();
    expect(made).toMatchObject({ id: 1, rule: "tips", subjects: null, labels: {}, author: "anna" });
    expect((made?.endsAt ?? 0) - (made?.startsAt ?? 0)).toBe(2 * HOUR);
    const { out } = await silence("list");
    expect(out).toMatch(
      /^id +state +when +what +by\n1 +active +until .* left +rule tips +anna: fork\n$/,
    );
    expect((await silence("expire", "1")).code).toBe(0);
    expect(await inForce()).toEqual([]);
    expect((await silence("list")).out).toBe("no silences\n");
    expect((await silence("list", "--all")).out).toContain("ended");
    const again = await silence("expire", "1");
    expect(again).toMatchObject({ code: 1, err: "tickwatch: silence 1 has already ended\n" });
    expect((await silence("expire", "7")).code).toBe(2);
  });

  it("refuses an option that is given twice and takes one value, rather than keep the last", async () => {
    await daemon();
    const twice = (option: string, ...values: readonly string[]) =>
      silence("add", "--rule", "tips", "--for", "2h", ...values.flatMap((one) => [option, one]));
    for (const [option, ...values] of [
      ["--for", "1h"],
      ["--until", "2099-01-01", "2099-01-02"],
      ["--comment", "a", "b"],
      ["--config", "a.yaml"],
    ] as const) {
      const { code, err } = await twice(option, ...values);
      expect([option, code]).toEqual([option, 2]);
      expect(err).toMatch(
        new RegExp(`^error: option '.*${option} <\\w+>' is given twice; it takes one`),
      );
    }
    expect(await inForce()).toEqual([]);
    expect((await twice("--subject", "polygon", "gas:1")).code).toBe(0);
  });

  it("is about all that is on a chain: its gas, pools and tokens", async () => {
    await daemon();
    const { out } = await silence("add", "--subject", "Ethereum", "--for", "1h", "--json");
    const keys = ["gas:1", `token_supply:1:${TOKEN}`, KEY];
    expect(JSON.parse(out)).toMatchObject({ alerts: 3 });
    expect((await inForce())[0]?.subjects?.toSorted()).toEqual(keys.toSorted());
    await silence("add", "--subject", "137", "--rule", "supply", "--for", "1h");
    expect((await inForce())[1]?.subjects).toEqual([`token_supply:137:${TOKEN}`]);
  });

  it("means a subject by a part of its name, and asks which where several have it", async () => {
    await daemon();
    expect((await silence("add", "--subject", "usdc", "--for", "1h")).code).toBe(0);
    expect((await silence("add", "--subject", POOL.slice(0, 10), "--for", "1h")).code).toBe(0);
    expect((await inForce()).map(({ subjects }) => subjects)).toEqual([[KEY], [KEY]]);
    await files.store()?.commit({
      ...NO_CHANGE,
      alerts: [makeAlert({ rule: "tips", subject: "gas:137", label: "Gas in USDC" })],
    });
    const { code, err } = await silence("add", "--subject", "usdc", "--for", "1h");
    expect(code).toBe(2);
    expect(err).toContain('"usdc" matches Gas in USDC, ETH/USDC 0.05%; name one');
    expect((await silence("add", "--subject", "*usdc*", "--for", "1h")).code).toBe(0);
    expect((await inForce())[2]?.subjects?.toSorted()).toEqual(["gas:137", KEY]);
  });

  it("is one for each of several rules, by name, part of a name or pattern, and they end together", async () => {
    await daemon();
    const { out } = await silence("add", "--rule", "tips", "--rule", "sup", "--for", "1h");
    expect(out).toMatch(/^silence 1 by .*: rule tips\nsilence 2 by .*: rule supply\n4 alerts\n/);
    const globbed = await silence("add", "--rule", "T*", "--for", "1h", "--json");
    expect(JSON.parse(globbed.out)).toMatchObject({
      silences: [{ rule: "tips" }, { rule: "tvl" }],
      alerts: 3,
    });
    expect((await silence("add", "--rule", "x*", "--for", "1h")).err).toContain(
      "no rule matches x*",
    );
    expect((await silence("add", "--rule", "p", "--for", "1h")).code).toBe(2);
    expect((await silence("expire", "1", "2", "3")).out.match(/ ended;/g)).toHaveLength(3);
    expect((await inForce()).map(({ rule }) => rule)).toEqual(["tvl"]);
    expect((await silence("expire", "4", "9")).code).toBe(2);
    expect(await inForce()).toHaveLength(1);
  });

  it("is about everything with --all, which stands alone", async () => {
    await daemon();
    expect((await silence("add", "--all", "--rule", "tips", "--for", "1h")).code).toBe(2);
    const { code, out } = await silence("add", "--all", "--for", "1h");
    expect(code).toBe(0);
    expect(out).toContain("every alert of every rule; 5 alerts");
    expect(await inForce()).toMatchObject([{ rule: null, subjects: null, labels: {} }]);
  });

  it("means subjects by what people call them", async () => {
    await daemon();
    const { out, err } = await silence(
      "add",
      "--subject",
      "eth/usdc 0.05%",
      "--for",
      "1h",
      "--json",
    );
    expect(err).toBe("");
    expect(JSON.parse(out)).toMatchObject({
      id: 1,
      rule: null,
      subjects: [KEY],
      alerts: 1,
      state: "active",
    });
    await silence(
      "add",
      "--rule",
      "tips",
      "--subject",
      "polygon",
      "--subject",
      "gas:1",
      "--for",
      "1h",
    );
    expect((await inForce())[1]?.subjects?.toSorted()).toEqual(["gas:1", "gas:137"]);
    const listed = await silence("list");
    expect(listed.out).toContain("subject ETH/USDC 0.05%");
  });

  it("tells subjects of one name apart by their chains", async () => {
    const opened = await daemon();
    const tokens = [1, 137].map((chain) => `token_supply:${chain}:${TOKEN}`);
    const alerts = tokens.map((subject) => makeAlert({ rule: "supply", subject, label: "AUSD" }));
    await opened.commit({ ...NO_CHANGE, alerts });
    const added = await silence("add", "--subject", "AUSD on Polygon", "--for", "1h");
    expect(added.out).toContain("subject AUSD on Polygon; 1 alert");
    expect((await silence("list")).out).toContain("subject AUSD on Polygon ");
    const both = await silence("add", "--subject", "AUSD", "--for", "1h");
    expect(both.out).toContain("subjects AUSD on Ethereum, AUSD on Polygon; 2 alerts");
  });

  it("means what has all the labels, and warns if that is nothing", async () => {
    await daemon();
    const lp = await silence("add", "--label", "team=lp", "--for", "1h");
    expect(lp).toMatchObject({ code: 0, err: "" });
    expect(lp.out).toContain(": team=lp; 1 alert");
    const none = await silence("add", "--rule", "tips", "--label", "team=lp", "--for", "1h");
    expect(none.code).toBe(0);
    expect(none.err).toContain("warning: no alert matches it now");
    expect(await inForce()).toHaveLength(2);
  });

  it.each<[string, string[], string]>([
    ["nothing is meant", ["--for", "1h"], "--rule, --subject, --label or --all"],
    ["no time", ["--rule", "tips"], "--for 2h, or --until"],
    [
      "two times",
      ["--rule", "tips", "--for", "1h", "--until", "2099-01-01"],
      "--for or --until, not both",
    ],
    ["a rule unknown", ["--rule", "tipps", "--for", "1h"], "did you mean tips?"],
    [
      "a subject unknown",
      ["--subject", "ETH/USDC 0.5%", "--for", "1h"],
      "did you mean ETH/USDC 0.05%?",
    ],
    [
      "one that the rule lacks",
      ["--rule", "tips", "--subject", KEY, "--for", "1h"],
      `does not watch "${KEY}"`,
    ],
    ["what is over", ["--rule", "tips", "--until", "2020-01-01T00:00Z"], "is already past"],
    [
      "an end before",
      ["--rule", "tips", "--until", "2099-01-01", "--from", "2099-01-02"],
      "before it starts",
    ],
    ["what is forgotten", ["--rule", "tips", "--for", "31d"], "add --force if you mean it"],
    ["no time at all", ["--rule", "tips", "--until", "tomorrow"], "It is a time like"],
    ["no label", ["--label", "team", "--for", "1h"], "name=value"],
  ])("refuses %s", async (_, args, problem) => {
    await daemon();
    const { code, err } = await silence("add", ...args);
    expect(code).toBe(2);
    expect(err).toContain(problem);
    expect(await inForce()).toEqual([]);
  });

  it("takes a long one by force, and one that begins later", async () => {
    await daemon();
    expect((await silence("add", "--rule", "tips", "--for", "31d", "--force")).code).toBe(0);
    const later = await silence(
      "add",
      "--rule",
      "tips",
      "--from",
      "2099-01-01 10:00",
      "--for",
      "1h",
    );
    expect(later.out).toContain("from 2099-01-01 10:00 UTC until 2099-01-01 11:00 UTC (1 h)");
    expect(await inForce()).toHaveLength(1);
    expect((await silence("list")).out).toContain("planned");
    // What has not begun never does.
    await silence("expire", "2");
    expect(await files.store()?.silences(Date.UTC(2099, 0, 1, 10, 30))).toEqual([]);
  });

  it("shows what is held back, by what and until when, and lets it be looked at once it is ended", async () => {
    const opened = await daemon();
    const notice = noticeOf({ rule: "tips", subject: "gas:1", headline: "tip 7 gwei" });
    await opened.commit({ ...NO_CHANGE, notices: [{ notice, channels: ["terminal"] }] });
    await silence("add", "--rule", "tips", "--for", "2h");
    await opened.hold("terminal", [notice.id], Date.now() + 2 * HOUR);
    const { out } = await run("outbox", "list");
    expect(out).toMatch(/terminal +suppressed +in 1 h 59 m +0 +tip 7 gwei \(silence 1\)/);
    const json: unknown = JSON.parse((await run("outbox", "list", "--json")).out);
    expect(json).toMatchObject({ messages: [{ state: "held", held_by: ["silence 1"] }] });
    const status = await run("status", "--json");
    expect(JSON.parse(status.out)).toMatchObject({ owed: 1, held: 1, silences: 1 });
    const id = /^([0-9a-f]{24})/m.exec(out)?.[1] ?? "";
    expect((await run("outbox", "retry", id)).err).toContain("is suppressed");
    expect(await opened.held("terminal", Date.now())).toEqual([]);
    await silence("expire", "1");
    expect(await opened.held("terminal", Date.now())).toEqual([notice]);
    expect((await run("outbox", "drop", id)).code).toBe(0);
    expect(await opened.held("terminal", Date.now())).toEqual([]);
    expect(await opened.claim("terminal", 0)).toEqual({ kind: "idle", until: null });
  });

  it("goes with what is older than the retention", async () => {
    const opened = await daemon();
    await silence("add", "--rule", "tips", "--for", "2h");
    await silence("add", "--rule", "tvl", "--for", "9h");
    // That they were added is older than that; they themselves are not.
    expect(await opened.prune(Date.now() + HOUR)).toBe(2);
    expect(await opened.prune(Date.now() + 3 * HOUR)).toBe(1);
    expect((await silence("list", "--all")).out).toContain("rule tvl");
  });
});
