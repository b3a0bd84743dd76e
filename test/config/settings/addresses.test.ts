import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHANNELS } from "../../../src/channels/index.ts";
import { ConfigError, formatProblem, type Problem } from "../../../src/config/files/text-file.ts";
import type { RulesContext } from "../../../src/config/rules/rule.ts";
import type { Addresses } from "../../../src/config/settings/addresses.ts";
import { loadSetup } from "../../../src/config/settings/load.ts";
import { gas } from "../../../src/kinds/gas.ts";
import type { WatchKind } from "../../../src/kinds/kind.ts";
import { tokenBalance } from "../../../src/kinds/token-balance.ts";
import { tokenSupply } from "../../../src/kinds/token-supply.ts";
import type { Ask, Setup } from "../../../src/model/index.ts";
import { read, ruleText, said, warned } from "../rules-text.ts";

const TOKEN = "0x00000000efe302beaa2b3e6e1b18d08d69a9012a";
const WALLET = "0x1111111111111111111111111111111111111111";
const CURRENT: Addresses = new Set(["base_url"]);
const EARLIER: Addresses = new Set(["legacy_base_url"]);
const BOTH: Addresses = new Set(["base_url", "legacy_base_url"]);

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-addresses-"));
  await mkdir(join(folder, "rules"));
});
afterAll(() => rm(folder, { recursive: true }));

/** What is made of a `service`, and every line that is said of it. */
async function load(
  service: string,
  rules = ruleText(),
): Promise<{ setup: Setup | null; lines: string[] }> {
  const file = join(folder, "config.yaml");
  await writeFile(
    file,
    `service: {${service}}\nrules: [rules/*.yaml]\nchannels: {console: {kind: console}}\n`,
  );
  await writeFile(join(folder, "rules", "a.yaml"), rules);
  const told = (problems: readonly Problem[]): string[] =>
    problems.map((one) => (formatProblem(one).split("\n")[0] ?? "").replace(`${folder}/`, ""));
  const env = { KEY: "twk_0123456789abcdef" };
  try {
    const watches = new Map([...KINDS, ["gas", GAS]]);
    const { setup, warnings } = await loadSetup(file, { env, watches, channels: CHANNELS });
    return { setup, lines: told(warnings) };
  } catch (error) {
    if (error instanceof ConfigError) return { setup: null, lines: told(error.problems) };
    throw error;
  }
}

const KEY = `api_key: "\${env:KEY}"`;

/** A kind that lives on a record, whatever that is. */
function kindOn(...records: Ask["record"][]): WatchKind {
  return { ...tokenSupply, kind: "token_supply", records };
}

const GAS: WatchKind = { ...gas, records: ["token_price"] };
const KINDS: ReadonlyMap<string, WatchKind> = new Map([["token_supply", tokenSupply]]);

function contextOf(kind: WatchKind, addresses: Addresses | undefined): RulesContext {
  return {
    watches: new Map([[kind.kind, kind]]),
    channels: ["console"],
    ...(addresses === undefined ? {} : { addresses }),
  };
}

const SUPPLY = ruleText({
  watch: `{kind: token_supply, chain: 1, token: "${TOKEN}"}`,
  when: "{metric: total_supply, above: 5 raw}",
});

const TOKENS = SUPPLY.replace("5 raw", "5M tokens");

describe("the addresses of the service", () => {
  it("may be both, and either alone", async () => {
    const one = "base_url: https://a.example.org/";
    const other = "legacy_base_url: https://b.example.org/old/";
    const addressesOf = async (text: string): Promise<unknown> => {
      const { setup } = await load(`${text}, ${KEY}`, SUPPLY);
      return setup === null ? null : [setup.service.baseUrl, setup.service.legacyBaseUrl];
    };
    expect(await addressesOf(one)).toEqual(["https://a.example.org", null]);
    expect(await addressesOf(`${one}, ${other}`)).toEqual([
      "https://a.example.org",
      "https://b.example.org/old",
    ]);
    // Then the supply cannot be had.
    expect(await addressesOf(other)).toBeNull();
  });

  it("are told to be missing by both their names", async () => {
    expect((await load(KEY)).lines).toEqual([
      "config.yaml:1:10: base_url is missing, expected the service's address, here, as legacy_base_url, or as both; or rpc: with your nodes [missing-key]",
    ]);
  });

  it("are doubted alike", async () => {
    const far = "base_url: http://x.org/api, legacy_base_url: http://x.org/api";
    expect((await load(`${far}, ${KEY}`, SUPPLY)).lines).toEqual([
      "config.yaml:1:21: the API key would travel unencrypted over http, expected an https address [plain-http]",
      "config.yaml:1:56: the API key would travel unencrypted over http, expected an https address [plain-http]",
      "config.yaml:1:56: the address ends in /api, which is added anyway, expected no /api [bad-url]",
    ]);
    const near = "base_url: http://localhost:1/v1, legacy_base_url: http://127.0.0.1:1/v1";
    expect((await load(`${near}, ${KEY}`, SUPPLY)).lines).toEqual([
      "config.yaml:1:21: the address ends in /v1, which is added anyway, expected no /v1 [bad-url]",
    ]);
    const wrong = `legacy_base_url: "https://user:pass@x.org", ${KEY}`;
    expect((await load(wrong)).lines.join()).toContain("the address holds a user name or password");
  });
});

describe("a rule whose records need another address", () => {
  it("is refused at its kind, by the key that is missing", async () => {
    expect((await load(`base_url: https://x.org, ${KEY}`)).lines).toEqual([
      "rules/a.yaml:3:19: the kind gas needs legacy_base_url, which the configuration's service does not have, expected legacy_base_url: https://… under service [needs-base-url]",
    ]);
    const { lines } = await load(`legacy_base_url: https://x.org, ${KEY}`, SUPPLY);
    expect(lines).toEqual([
      "rules/a.yaml:3:19: the kind token_supply needs base_url, which the configuration's service does not have, expected base_url: https://… under service [needs-base-url]",
    ]);
  });

  it.each<[Ask["record"], Addresses, string | null]>([
    ["balance", CURRENT, null],
    ["balance", EARLIER, null],
    ["holder", EARLIER, null],
    ["supply", EARLIER, "base_url"],
    // Pools of V3 are of the earlier family, and live under the current one's address.
    ["v3_pool", EARLIER, "base_url"],
    ["v3_swap", CURRENT, null],
    ["v4_swap", CURRENT, "legacy_base_url"],
    ["token_info", BOTH, null],
  ])("is what %s of %s makes it", (record, addresses, missing) => {
    const lines = said(SUPPLY, contextOf(kindOn(record), addresses));
    if (missing === null) expect(lines).toEqual([]);
    else expect(lines).toEqual([expect.stringContaining(`needs ${missing}, which`)]);
  });

  it("is let be where the addresses are not known, or wrong themselves", async () => {
    expect(said(SUPPLY, contextOf(kindOn("v4_swap"), undefined))).toEqual([]);
    const { lines } = await load(`base_ulr: https://x.org, ${KEY}`);
    expect(lines).toEqual([expect.stringContaining("did you mean `base_url`?")]);
  });
});

describe("amounts of tokens without decimals", () => {
  // Whatever facts the kinds of this version have.
  const { facts: _facts, ...plain } = { facts: null, ...tokenSupply };
  const learning: WatchKind = { ...plain, facts: () => [] };

  it("are refused only where the earlier family cannot be asked for them", () => {
    expect(said(TOKENS, contextOf(learning, CURRENT))).toEqual([
      `rules.yaml:4:41: "5M tokens" needs the decimals of the token, expected decimals: 6 (the token's) in the watch, legacy_base_url in the configuration (there they are asked for), or raw units such as 5000000 raw [needs-decimals]`,
    ]);
    expect(read(TOKENS, contextOf(learning, BOTH)).rules).toHaveLength(1);
  });

  it("are refused of kinds that do not ask for them", () => {
    expect(said(TOKENS, contextOf(plain, BOTH))).toHaveLength(1);
  });
});

describe("chains that the current family does not promise", () => {
  const balance = ruleText({
    watch: `{kind: token_balance, chain: base, token: "${TOKEN}", wallet: "${WALLET}"}`,
    when: "{metric: balance, below: 5 raw}",
  });

  it("are doubted only where the earlier one cannot be asked instead", () => {
    expect(warned(balance, contextOf(tokenBalance, CURRENT))).toEqual([
      expect.stringContaining("the service may have no answer for token_balance on Base"),
    ]);
    expect(warned(balance, contextOf(tokenBalance, BOTH))).toEqual([]);
  });
});
