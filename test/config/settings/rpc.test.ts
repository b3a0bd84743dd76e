import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHANNELS } from "../../../src/channels/index.ts";
import { secretsOf } from "../../../src/cli/setup.ts";
import { ConfigError, formatProblem, type Problem } from "../../../src/config/files/text-file.ts";
import { loadSetup } from "../../../src/config/settings/load.ts";
import { KINDS } from "../../../src/kinds/index.ts";
import type { Setup } from "../../../src/model/index.ts";

const TOKEN = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const KEY = "k3y0123456789abcdef0123";
const ENV = { RPC: `https://eth.example.org/v2/${KEY}`, SPARE: "http://127.0.0.1:8545" };

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-rpc-"));
  await mkdir(join(folder, "rules"));
});
afterAll(() => rm(folder, { recursive: true }));

const RULES = `rules:
  - name: supply
    watch: {kind: token_supply, chain: 8453, token: "${TOKEN}"}
    when: {metric: total_supply, above: 1 raw}
`;

/** What is made of a `service`, and every line that is said of it, with its place. */
async function load(
  service: string,
  rules = RULES,
): Promise<{ setup: Setup | null; lines: string[]; whole: string }> {
  const file = join(folder, "config.yaml");
  await writeFile(
    file,
    `service: ${service}\nrules: [rules/*.yaml]\nchannels: {console: {kind: console}}\n`,
  );
  await writeFile(join(folder, "rules", "a.yaml"), rules);
  const told = (problems: readonly Problem[], setup: Setup | null) => {
    const texts = problems.map((one) => formatProblem(one).replaceAll(`${folder}/`, ""));
    return { setup, lines: texts.map((one) => one.split("\n")[0] ?? ""), whole: texts.join("\n") };
  };
  try {
    const options = { env: ENV, watches: KINDS, channels: CHANNELS };
    const { setup, warnings } = await loadSetup(file, options);
    return told(warnings, setup);
  } catch (error) {
    if (error instanceof ConfigError) return told(error.problems, null);
    throw error;
  }
}

describe("service.rpc", () => {
  it("takes the place of an address, for all kinds, and on chains that the service does not name", async () => {
    const { setup, lines } = await load(`{rpc: {chains: {base: {urls: ["\${env:RPC}"]}}}}`);
    expect(lines).toEqual([]);
    const chain = setup?.service.rpc?.chains.get(8_453);
    expect(chain?.urls.map((url) => url.reveal())).toEqual([ENV.RPC]);
    expect(chain).toMatchObject({ entries: 12, gas: null, days: 7, requestsPerSecond: 20 });
    expect(setup?.service.rpc?.data).toBe(join(folder, "chain.db"));
    expect(setup?.service).toMatchObject({ baseUrl: null, legacyBaseUrl: null });
  });

  it("reads everything that a chain may say", async () => {
    const { setup, lines } = await load(
      `
  rpc:
    data: data/chain.db
    chains:
      8453:
        urls: ["\${env:RPC}", "\${env:SPARE}"]
        requests_per_second: 5
        entries: finalized
        gas: estimated
        days: 30
        holders: [${TOKEN}]
        max_logs: 20000000
        usd: {stable: ["${TOKEN}"], native: "0x4200000000000000000000000000000000000006", feeds: {"${TOKEN}": "0x0000000000000000000000000000000000000001"}}
        contracts: {pool_manager: "0x0000000000000000000000000000000000000002"}`,
    );
    expect(lines).toEqual([]);
    const small = TOKEN.toLowerCase();
    const rpc = setup?.service.rpc;
    expect(rpc?.data).toBe(join(folder, "data/chain.db"));
    expect(rpc?.chains.get(8_453)).toMatchObject({
      requestsPerSecond: 5,
      entries: "finalized",
      gas: "estimated",
      days: 30,
      holders: [small],
      mostLogs: 20_000_000,
      agree: 1,
      usd: { stable: [small], feeds: new Map([[small, `0x${"1".padStart(40, "0")}`]]) },
      contracts: {
        poolManager: `0x${"2".padStart(40, "0")}`,
        wrappedNative: "0x4200000000000000000000000000000000000006",
      },
    });
  });

  it("names each of its URLs as a secret", async () => {
    const { setup } = await load(
      `{rpc: {chains: {8453: {urls: ["\${env:RPC}", "\${env:SPARE}"]}}}}`,
    );
    if (setup === null) throw new Error("it was not read");
    const secrets = secretsOf(setup).map((secret) => secret.reveal());
    expect(secrets).toEqual(expect.arrayContaining([ENV.RPC, ENV.SPARE]));
  });

  it.each([
    [
      `{base_url: "http://127.0.0.1:1", rpc: {chains: {8453: {urls: ["\${env:RPC}"]}}}}`,
      "config.yaml:1:11: rpc takes the place of base_url, expected one of them [key-conflict]",
    ],
    [
      `{rpc: {}}`,
      `config.yaml:1:16: chains is missing, expected such as {1: {urls: ["\${env:RPC}"]}} [missing-key]`,
    ],
    [
      `{rpc: {chains: {etherium: {urls: ["\${env:RPC}"]}}}}`,
      'config.yaml:1:36: unknown chain "etherium"',
    ],
    [
      `{rpc: {chains: {8453: {url: "\${env:RPC}"}}}}`,
      "config.yaml:1:33: unknown key `url` in a chain of rpc; did you mean `urls`? [unknown-key]",
    ],
    [
      `{rpc: {chains: {8453: {urls: ["wss://eth.example.org"]}}}}`,
      "config.yaml:1:40: web sockets are not used",
    ],
    [
      `{rpc: {chains: {8453: {urls: ["\${env:RPC}"], holders: [0x12]}}}}`,
      'config.yaml:1:65: "0x12" is not an address',
    ],
    [
      `{rpc: {chains: {8453: {urls: ["\${env:RPC}"], entries: soon}}}}`,
      "config.yaml:1:64: entries is not a number of confirmations",
    ],
    [
      `{rpc: {chains: {1: {urls: ["\${env:RPC}"]}}}}`,
      'config.yaml:1:25: chains has no node of Base, which the rule "supply" watches',
    ],
  ])("refuses %s", async (service, line) => {
    const { setup, lines } = await load(service);
    expect(setup).toBeNull();
    expect(lines.map((one) => one.slice(0, line.length))).toContain(line);
  });

  it("warns of a URL in the file itself and shows nothing of it", async () => {
    const url = `https://eth.example.org/v2/${KEY}`;
    const { lines, whole } = await load(`{rpc: {chains: {8453: {urls: ["${url}"], dais: 3}}}}`);
    expect(lines.some((one) => one.includes("[unknown-key]"))).toBe(true);
    expect(whole).not.toContain(KEY);
    const { lines: warned, whole: said } = await load(
      `{rpc: {chains: {8453: {urls: ["${url}"]}}}}`,
    );
    expect(warned.join()).toContain("[secret-in-file]");
    expect(said).not.toContain(KEY);
  });
});
