import { describe, expect, it } from "vitest";
import { readSetup } from "../../src/cli/setup.ts";
import { CONFIGURATION_MARK, NO_CHANGE } from "../../src/model/index.ts";
import { NO_CHANGES, stateToText } from "../../src/ops/reload/configuration-state.ts";
import { fingerprintsOf } from "../../src/ops/reload/fingerprints.ts";
import { makeAlert } from "../support/nouns.ts";
import { daemonFiles } from "./daemon-files.ts";

const MINUTE = 60_000;
const KEY = "tw_0123456789";

const config = (more = "", channels = ""): string => `
service: {base_url: "http://127.0.0.1:1", api_key: "\${env:KEY}"}
rules: [rules.yaml]
channels:
  console: {kind: console}
${channels}
${more}
`;
const gas = (name: string, limit: number, more = ""): string =>
  `  - {name: ${name}, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: ${limit} gwei}, notify: console${more}}\n`;

describe("tickwatch diff", () => {
  const files = daemonFiles(
    config(),
    `rules:\n${gas("tips", 5)}${gas("deep", 50)}${gas("high", 9)}`,
  );
  const diff = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await files.run("diff", ...args);
    expect({ code, err: err.replaceAll(/^warning: [\s\S]*?\n\s+\^\n/gm, "") }).toEqual({
      code: 0,
      err: "",
    });
    return out;
  };

  /** A daemon has loaded the files as they are. */
  async function load(): Promise<void> {
    const store = files.store() ?? (await files.open());
    await files.start();
    const path = files.database().replace("tickwatch.db", "config.yaml");
    const { setup } = await readSetup(path, { env: { KEY } });
    const state = {
      loadedAt: 0,
      page: null,
      failure: null,
      needsRestart: [],
      waitsFor: [],
      isOlder: false,
      changes: NO_CHANGES,
      answered: null,
      salt: "salt",
      fingerprints: fingerprintsOf(setup, "salt"),
    };
    const now = Date.now();
    await store.commit({
      ...NO_CHANGE,
      marks: [{ subject: CONFIGURATION_MARK, value: stateToText(state) }],
      alerts: [
        makeAlert({
          rule: "tips",
          subject: "gas:1",
          state: "firing",
          since: now,
          firedAt: now - 8 * MINUTE,
          label: "Ethereum",
          lastNotified: { state: "firing", value: "6", channels: ["console"] },
        }),
        makeAlert({
          rule: "deep",
          subject: "gas:1",
          state: "pending",
          since: now - 3 * MINUTE,
          label: "Ethereum",
        }),
        makeAlert({ rule: "high", subject: "gas:1", state: "ok", label: "Ethereum" }),
      ],
      round: {
        date: now - 20 * MINUTE,
        rules: ["tips"],
        requests: 7,
        subjects: 1,
        failures: {},
        failed: 0,
        unread: [],
        tookMs: 1,
      },
    });
  }

  it("says that nothing would change where nothing was edited", async () => {
    await load();
    expect(await diff()).toMatch(
      /^Nothing would change\.\nRequests: 7 in the last 20 min.*, at most 60 an hour afterwards\.\n$/,
    );
  });

  it("lists rules, the alerts that go on and those that close", async () => {
    await load();
    await files.write(
      "rules.yaml",
      `rules:\n${gas("tips", 7, ", for: 5m, schedule: 30s")}${gas("fresh", 1)}`,
    );
    expect((await diff()).split("\n").slice(0, -2)).toEqual([
      "+ rule fresh: 1 subject, every 1m",
      "~ rule tips: when, for, schedule; goes on with 1 firing",
      "- rule deep",
      "- rule high",
      "- alert deep Ethereum: pending for 3 min, begins anew",
      "- 1 quiet alert",
    ]);
    await files.write("rules.yaml", `rules:\n${gas("fresh", 1)}`);
    expect(await diff()).toContain(
      "- alert tips Ethereum: firing for 8 min, closed; told to console\n",
    );
    expect(JSON.parse(await diff("--json"))).toMatchObject({
      rules: { added: [{ rule: "fresh", subjects: 1 }], changed: [] },
      alerts_closing: expect.arrayContaining([
        expect.objectContaining({ rule: "tips", state: "firing", told: ["console"] }),
      ]),
      requests: { before: { count: 7 }, hour_after_at_most: 60 },
    });
  });

  it("lists channels and settings, secrets without a word of what they are", async () => {
    const hook = (url: string): string => `  hook: {kind: webhook, url: "${url}"}\n`;
    await files.write(
      "config.yaml",
      config("", `${hook("https://one.example/first-secret")}  old: {kind: console}`),
    );
    await load();
    await files.write(
      "config.yaml",
      config(
        "group_wait: 1m\nlog: {level: debug}",
        `${hook("https://one.example/second-secret")}  more: {kind: console, timezone: Asia/Tokyo}`,
      ),
    );
    const out = await diff();
    expect(out.split("\n").slice(0, -2)).toEqual([
      "+ channel more",
      "- channel old: what is queued for it stays queued",
      "~ channels.hook.url",
      "~ group_wait",
      "~ log.level",
      "~ self.notify",
    ]);
    expect(out).not.toContain("secret");
  });

  it("says that an address that moved measures anew", async () => {
    await load();
    await files.write("config.yaml", config().replace("127.0.0.1:1", "127.0.0.1:2"));
    const store = files.store();
    if (store === null) throw new Error("no store is open");
    await store.commit({
      ...NO_CHANGE,
      marks: [{ subject: "service:addresses", value: '[["base_url","http://127.0.0.1:1",0]]' }],
    });
    const out = await diff();
    expect(out).toContain("~ service.base_url");
    expect(out).toContain("keep their state and measure anew");
  });

  it("does without what a daemon of before has not written down", async () => {
    await files.open();
    await files.start();
    expect(await diff()).toContain("Channels and settings cannot be compared");
  });

  it("takes files that are not in place yet, with --store", async () => {
    await load();
    const staged = await files.run("diff", "--store", files.database());
    expect(staged).toMatchObject({ code: 0 });
    expect(staged.out).toContain("Nothing would change.");
    const none = await files.run("diff", "--store", "/nowhere/at-all.db");
    expect(none.code).toBe(4);
  });
});
