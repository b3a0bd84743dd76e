import { describe, expect, it } from "vitest";
import { withNotificationState } from "../../src/decide/notification-state.ts";
import { type Alert, NO_CHANGE } from "../../src/model/index.ts";
import type { Store } from "../../src/store/store.ts";
import { makeAlert } from "../support/nouns.ts";
import { daemonFiles } from "./daemon-files.ts";

const id = (digits: string): string => `0x${digits.repeat(32)}`;
const key = (digits: string): string => `v4_pool:1:${id(digits)}`;
const TOKEN = `0x${"12".repeat(20)}`;
const NOW = "a running daemon applies this within 5 seconds, otherwise the next start does\n";

const CONFIG = `
service: {base_url: "http://127.0.0.1:1", api_key: "\${env:KEY}"}
rules: [rules.yaml]
channels: {console: {kind: console}}
`;
const RULES = `
rules:
  - name: Low TVL
    watch: &pools {kind: v4_pool, chain: 1, pools: [{id: ${id("aa")}, name: Main}, {id: ${id("bb")}}, {id: ${id("cc")}}]}
    when: {metric: tvl_usd, below: 500}
  - {name: once, watch: *pools, when: {metric: tvl_usd, below: 500}, once: true}
  - {name: gas, watch: {kind: gas, chain: [1, 137]}, when: {metric: tip_top10, above: 5 gwei}}
  - {name: supply, watch: {kind: token_supply, chain: [1, 137], token: "${TOKEN}", decimals: 6}, when: {metric: total_supply, below: 5}}
  - {name: event, watch: *pools, when: {metric: tvl_usd, changes: true}}
`;

describe("ack, unack and rearm on the command line", () => {
  const files = daemonFiles(CONFIG, RULES);

  const { run } = files;

  const lastNotified = { state: "firing", value: "400", channels: ["console"] } as const;

  /** The store as a running daemon holds it: aa and bb fire, and cc does not. */
  async function daemon(...more: Alert[]): Promise<Store> {
    const opened = await files.open();
    const rule = "Low TVL";
    const alerts = [
      makeAlert({ rule, subject: key("aa"), label: "Main", state: "firing", lastNotified }),
      makeAlert({
        rule,
        subject: key("bb"),
        label: "ETH/USDC 0.05%",
        state: "recovering",
        lastNotified,
      }),
      makeAlert({ rule, subject: key("cc"), label: "WBTC/USDC 0.3%" }),
    ];
    await files.start();
    await opened.commit({ ...NO_CHANGE, alerts: [...alerts, ...more] });
    return opened;
  }

  it("are written down for a daemon that runs, by a name in any case", async () => {
    const opened = await daemon();
    const ran = await run("ack", "low tvl", "MAIN", "--by", "anna", "--comment", "on it");
    expect(ran).toEqual({
      code: 0,
      out: `to be acknowledged by anna: 1 alert of Low TVL\n  Main\n${NOW}`,
      err: "",
    });
    const [command, ...others] = await opened.commands();
    expect(others).toEqual([]);
    expect(command).toMatchObject({
      kind: "ack",
      rule: "Low TVL",
      subject: key("aa"),
      author: "anna",
      comment: "on it",
    });
    // Its label is what the chain calls it.
    expect(await run("ack", "Low TVL", "eth/usdc 0.05%", "--by", "bob")).toMatchObject({ code: 0 });
    expect(await run("ack", "Low TVL", key("bb"), "--by", "bob")).toMatchObject({ code: 0 });
    expect((await opened.commands()).map(({ subject }) => subject)).toEqual([
      key("aa"),
      key("bb"),
      key("bb"),
    ]);
  });

  it("find a name by a part of it, and ask which where several have it", async () => {
    const opened = await daemon();
    expect(await run("ack", "tvl", "eth", "--by", "anna")).toMatchObject({
      code: 0,
      out: `to be acknowledged by anna: 1 alert of Low TVL\n  ETH/USDC 0.05%\n${NOW}`,
    });
    const { code, err } = await run("ack", "Low TVL", "usdc");
    expect(code).toBe(2);
    expect(err).toContain("usdc means 2 subjects of Low TVL: ETH/USDC 0.05%, WBTC/USDC 0.3%");
    expect((await opened.commands()).map(({ subject }) => subject)).toEqual([key("bb")]);
  });

  it("without a subject are about each alert that they fit, and no other", async () => {
    const opened = await daemon();
    const ran = await run("ack", "Low TVL", "--by", "anna", "--json");
    expect(JSON.parse(ran.out)).toEqual({
      ordered: "ack",
      rule: "Low TVL",
      subjects: [key("aa"), key("bb")],
      by: "anna",
      comment: null,
    });
    expect((await opened.commands()).map(({ subject }) => subject)).toEqual([key("aa"), key("bb")]);
  });

  it("show in status on which chain, where a rule watches several", async () => {
    const opened = await daemon();
    const life = { acked: { by: "anna", at: Date.UTC(2026, 10, 28, 12) } };
    await opened.commit({
      ...NO_CHANGE,
      alerts: [
        withNotificationState(
          makeAlert({ rule: "gas", subject: "gas:137", label: "Polygon" }),
          life,
        ),
      ].concat(
        withNotificationState(
          makeAlert({ rule: "supply", subject: `token_supply:137:${TOKEN}`, label: "AUSD" }),
          life,
        ),
      ),
      closed: [{ date: Date.now(), rules: ["gas"] }],
    });
    const { out } = await run("status");
    expect(out).toContain("AUSD on Polygon of supply acknowledged by anna since");
    expect(out).toContain("Polygon of gas acknowledged by anna since");
  });

  it("name in status what fires, the longest first, and a service that does not answer", async () => {
    const opened = await daemon();
    const fires = (rule: string, subject: string, label: string | null, minutes: number) =>
      makeAlert({
        rule,
        subject,
        label,
        state: "firing",
        firedAt: Date.now() - minutes * 60_000,
      });
    await opened.commit({
      ...NO_CHANGE,
      alerts: [
        fires("gas", "gas:137", "Polygon", 5),
        fires("tickwatch:source", "v4_pool", "V4 pools", 30),
        fires("supply", `token_supply:137:${TOKEN}`, "AUSD", 90),
      ],
      closed: [{ date: Date.now(), rules: ["gas"] }],
    });
    const { out } = await run("status");
    expect(out).toContain("; 4 alerts firing, ");
    const lines = out.split("\n").filter((line) => / for \d/.test(line));
    expect(lines.slice(-3).map((line) => line.replace(/ \d+ s(?=:)/, ""))).toEqual([
      "  supply firing for 1 h 30 m: AUSD on Polygon",
      "  no answers for 30 min: V4 pools",
      "  gas firing for 5 min: Polygon",
    ]);
    const { firing, alerts } = JSON.parse((await run("status", "--json")).out) as {
      firing: number;
      alerts: { rule: string }[];
    };
    expect({ firing, rules: alerts.map(({ rule }) => rule) }).toEqual({
      firing: 4,
      rules: ["Low TVL", "Low TVL", "supply", "tickwatch:source", "gas"],
    });
  });

  it("take an acknowledgement back, which status shows until then", async () => {
    const life = { acked: { by: "anna", at: Date.UTC(2026, 10, 28, 12) } };
    const completed = makeAlert({ rule: "once", subject: key("aa"), label: "Main" });
    const opened = await daemon(withNotificationState(completed, { once: "spent" }));
    await opened.commit({
      ...NO_CHANGE,
      alerts: [
        withNotificationState(
          makeAlert({ rule: "Low TVL", subject: key("cc"), lastNotified, label: "WBTC" }),
          life,
        ),
      ],
      closed: [{ date: Date.now(), rules: ["Low TVL"] }],
    });
    const status = await run("status");
    expect(status.out).toContain(
      "\n  WBTC of Low TVL acknowledged by anna since 2026-11-28 12:00 UTC\n",
    );
    expect(JSON.parse((await run("status", "--json")).out)).toMatchObject({
      acknowledged: [
        {
          rule: "Low TVL",
          subject: key("cc"),
          label: "WBTC",
          by: "anna",
          since: "2026-11-28T12:00:00.000Z",
        },
      ],
    });
    expect(await run("unack", "Low TVL", "--by", "bob")).toMatchObject({
      code: 0,
      out: `to be unacknowledged by bob: 1 alert of Low TVL\n  WBTC\n${NOW}`,
    });
    expect(await run("rearm", "once")).toMatchObject({
      code: 0,
      out: `to be re-armed: 1 alert of once\n  Main\n${NOW}`,
    });
    expect((await opened.commands()).map(({ kind, subject }) => [kind, subject])).toEqual([
      ["unack", key("cc")],
      ["rearm", key("aa")],
    ]);
  });

  it("are refused where nothing fits, and nothing is written", async () => {
    const opened = await daemon();
    for (const [args, code, words] of [
      [
        ["ack", "Low TVL", "wbtc/usdc 0.3%", "--by", "a"],
        1,
        "WBTC/USDC 0.3% of Low TVL is not firing; nothing was changed",
      ],
      [["ack", "once", "--by", "a"], 1, "no alert of once is firing; nothing was changed"],
      [["ack", "event", "--by", "a"], 1, "event reports events, which cannot be acknowledged"],
      [["unack", "Low TVL", "main", "--by", "a"], 1, "Main of Low TVL is not acknowledged"],
      [["unack", "Low TVL", "--by", "a"], 1, "no alert of Low TVL is acknowledged"],
      [["rearm", "Low TVL"], 1, "Low TVL does not have once: true, so it never needs re-arming"],
      [["rearm", "once", "main"], 1, "Main of once has not completed"],
      [["ack", "Low TVI", "--by", "a"], 2, "there is no rule Low TVI; did you mean Low TVL?"],
      [["ack", "Low TVL", "mian", "--by", "a"], 2, "Low TVL watches no mian; did you mean Main?"],
      [
        ["ack", "Low TVL", "ethereum", "--by", "a"],
        2,
        "ethereum means 3 subjects of Low TVL: Main,",
      ],
    ] as const) {
      const ran = await run(...args);
      expect(ran).toMatchObject({ code, out: "" });
      expect(ran.err).toContain(`tickwatch: ${words}`);
    }
    expect(await opened.commands()).toEqual([]);
  });

  it("are refused where no daemon has ever run", async () => {
    expect(await run("ack", "Low TVL", "--by", "anna")).toMatchObject({ code: 4, out: "" });
  });

  it("do not print what a subject hides in its name", async () => {
    await daemon();
    const ran = await run("ack", "Low TVL", "\u001b[31mred", "--by", "a\u202e\nb");
    expect(ran.err).not.toContain("\u001b");
  });
});
