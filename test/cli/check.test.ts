import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { runCli } from "../../src/cli/program.ts";
import { type Service, startService } from "../../src/serve/server.ts";
import { createMarket } from "../../src/simulator/market.ts";
import { TREASURY_NFT } from "../../src/simulator/positions.ts";
import { freePort } from "../support/free-port.ts";

const KEY = "tw_0123456789abcdef";
const TOKEN = "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a";
let service: Service;
beforeAll(async () => {
  const clock = systemClock();
  const market = createMarket({ seed: 1, start: clock.now() - 60_000, script: [] });
  service = await startService({ world: market, clock, apiKey: KEY });
});
afterAll(() => service.close());

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-check-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const RULES = `rules:
  - name: my-range
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [{id: ${TREASURY_NFT}, name: Mine}]}
    when: {metric: in_range, equals: false}
    for: 5m
    notify: [terminal]
  - name: some-supply
    watch: {kind: token_supply, chain: [1, 137], token: {id: ${TOKEN}, name: AUSD, decimals: 6}}
    across: sum
    when: {metric: total_supply, above: 1_000 tokens}
  - name: many
    watch: {kind: holder_count, chain: 137, token: ${TOKEN}}
    when: {metric: holder_count, falls: 10%, within: 1h}
    notify: []
`;

async function check(args: readonly string[], rules: string, baseUrl: string, key = KEY) {
  await writeFile(join(folder, "rules.yaml"), rules);
  const config = join(folder, "config.yaml");
  await writeFile(
    config,
    `service: {base_url: "${baseUrl}", api_key: "\${env:KEY}", timeout: 30s}
rules: [rules.yaml]
channels: {terminal: {kind: console}}
`,
  );
  const printed = { out: "", err: "" };
  const code = await runCli(["check", "--config", config, ...args], {
    out: (text) => void (printed.out += text),
    err: (text) => void (printed.err += text),
    env: { KEY: key },
    colours: false,
    errTerminal: false,
    errColours: false,
    stop: () => new AbortController().signal,
    onHangup: () => {},
    unread: new AbortController().signal,
  });
  const plain = (text: string): string => text.replaceAll(`${folder}/`, "");
  return { code, out: plain(printed.out), err: plain(printed.err) };
}

/** `check` in a folder, by whatever it is asked. */
async function checkFile(args: readonly string[]) {
  const printed = { out: "", err: "" };
  const code = await runCli(["check", ...args], {
    out: (text) => void (printed.out += text),
    err: (text) => void (printed.err += text),
    env: { KEY },
    colours: false,
    errTerminal: false,
    errColours: false,
    stop: () => new AbortController().signal,
    onHangup: () => {},
    unread: new AbortController().signal,
  });
  const plain = (text: string): string => text.replaceAll(`${folder}/`, "");
  return { code, out: plain(printed.out), err: plain(printed.err) };
}

describe("check of one rules file", () => {
  const gas = (name: string, more = "") =>
    `rules:\n  - name: ${name}\n    watch: {kind: gas, chain: 1}\n    when: {metric: tip_top10, above: 5 gwei}\n${more}`;

  it("reads it with the configuration beside it, and shows its rules only", async () => {
    await check([], gas("other"), "http://127.0.0.1:10009");
    const file = join(folder, "more.yaml");
    await writeFile(file, gas("mine", "    notify: [terminal]\n"));
    const { code, out, err } = await checkFile([file]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^more\.yaml:2: mine\n.*\nOK: 1 rule, 1 subject, 1 channel\.\n$/);
    await writeFile(file, gas("other", "    notify: [termnal]\n"));
    const wrong = await checkFile([file]);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('more.yaml:5:14: unknown channel "termnal"');
    expect(wrong.err).toContain('more.yaml:2:11: a rule "other" is already used, in rules.yaml:2');
  });

  it("reads it by the defaults where there is no configuration", async () => {
    const file = join(folder, "rules.yaml");
    await writeFile(file, gas("mine", "    notify: [anywhere]\n"));
    expect(await checkFile([file])).toMatchObject({ code: 0, err: "" });
    await writeFile(file, gas("mine", "    fro: 5m\n"));
    const { code, err } = await checkFile([file]);
    expect([code, err.split("\n")[0]]).toEqual([
      2,
      "rules.yaml:5:5: unknown key `fro` in a rule; did you mean `for`? [unknown-key]",
    ]);
    const json = await checkFile([file, "--json"]);
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, problems: [{ code: "unknown-key" }] });
  });
});

describe("check", () => {
  it("says of each rule where it stands and what it does", async () => {
    expect(await check([], RULES, "http://127.0.0.1:10009")).toEqual({
      code: 0,
      out: `rules.yaml:2: my-range
  Tells terminal when Mine has been out of range for 5 minutes.
rules.yaml:7: some-supply
  Tells terminal when the sum of the supply of AUSD on 2 chains (Ethereum, Polygon) is above 1,000 AUSD.
rules.yaml:11: many
  Tells nobody: only watches whether the number of holders of token 0x000000…012a on Polygon falls 10% within 1 h.
OK: 3 rules, 4 subjects, 1 channel, 1 warning.
`,
      err: `warning: rules.yaml:14:13: the rule notifies nobody, expected a channel, or a rule whose gate names it [tells-nobody]
      notify: []
              ^
`,
    });
  });

  it("gives programs the sentence, too", async () => {
    const { code, out, err } = await check(["--json"], RULES, "http://127.0.0.1:10009");
    expect([code, err]).toEqual([0, ""]);
    const report: unknown = JSON.parse(out);
    expect(report).toMatchObject({
      ok: true,
      problems: [],
      rules: [
        {
          name: "my-range",
          sentence: "Tells terminal when Mine has been out of range for 5 minutes",
        },
        { name: "some-supply", subjects: [{ name: "AUSD" }, { name: "AUSD" }] },
        { name: "many" },
      ],
    });
    expect(out).not.toContain('"now"');
  });

  it("refuses what is wrong with code 2", async () => {
    const wrong = RULES.replace("across: sum", "across: total");
    const { code, out, err } = await check([], wrong, "http://127.0.0.1:10009");
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain('rules.yaml:9:13: across "total" is not known, expected sum, min or max');
    const json = await check(["--json"], wrong, "http://127.0.0.1:10009");
    expect(json.code).toBe(2);
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, problems: [{ line: 9 }] });
  });
});

describe("check --online", () => {
  it("shows each subject's name and value and what the rule would say now", async () => {
    const { code, out } = await check(["--online"], RULES, service.baseUrl);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^ {2}Tells terminal when Mine has been outside [\d,.]+ to [\d,.]+ USDC per ETH for 5 minutes\.$/m,
    );
    expect(out).toMatch(/^ {4}subject +metric +value now +would say$/m);
    expect(out).toMatch(/^ {4}Mine +in_range +yes +ok$/m);
    expect(out).toMatch(
      /^ {4}AUSD +total_supply +[\d,]+(\.\d+)? AUSD +🟠 Supply 10B AUSD.*limit 1,000/m,
    );
    expect(out).toMatch(/^ {4}0x000000…012a +holder_count +[\d,]+ +not known yet$/m);
    expect(out).toMatch(/^4 subjects, \d requests, \d+ ms$/m);
  });

  it("gives programs exact values", async () => {
    const { code, out } = await check(["--online", "--json"], RULES, service.baseUrl);
    expect(code).toBe(0);
    const report: unknown = JSON.parse(out);
    expect(report).toMatchObject({
      rules: [
        { now: [{ name: "Mine", metric: "in_range", value: "true", state: "ok", says: null }] },
        { now: [{ value: expect.stringMatching(/^\d{17}$/), state: "firing" }] },
        { now: [{ state: "not known yet", trouble: null }] },
      ],
    });
  });

  it("takes a list that was answered for data, before anything on it is news", async () => {
    const rules = (chain: number): string => `rules:
  - name: newcomer
    watch: {kind: holders, chain: ${chain}, token: ${TOKEN}, top: 5}
    when: {metric: entered, equals: true}
`;
    const { code, out } = await check(["--online"], rules(137), service.baseUrl);
    expect(code).toBe(0);
    expect(out).toMatch(/^ {4}0x000000…012a +ok$/m);
    const failed = await check(["--online"], rules(8453), service.baseUrl);
    expect(failed.code).toBe(1);
    expect(failed.out).toMatch(/^ {4}0x000000…012a +no data: /m);
  });

  it("finds a poll that failed with code 1", async () => {
    const unlisted = RULES.replace("chain: 137", "chain: 8453");
    const { code, out } = await check(["--online"], unlisted, service.baseUrl);
    expect(code).toBe(1);
    expect(out).toMatch(/no data: /);
    expect(out).toMatch(/^1 record could not be fetched: /m);
  });

  it("says in one line that the key is wrong or the service away, with code 3", async () => {
    const refused = await check(["--online"], RULES, service.baseUrl, "tw_wrong_wrong_wrong");
    expect(refused.code).toBe(3);
    expect(refused.err).toContain(
      "tickwatch: the service rejects the API key; see service.api_key",
    );
    expect(refused.err + refused.out).not.toContain("tw_wrong");
    const port = await freePort();
    const away = await check(["--online"], RULES, `http://127.0.0.1:${port}`);
    expect([away.code, away.out]).toEqual([3, ""]);
    expect(away.err).toContain("tickwatch: the service cannot be reached: connection refused");
  });
});
