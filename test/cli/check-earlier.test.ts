import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/program.ts";
import { type FaultServer, faultServer, json } from "../fetch/fault-server.ts";

const KEY = "twk_0123456789abcdef+/";
const TOKEN = "0x00000000efe302beaa2b3e6e1b18d08d69a9012a";
const WALLET = "0x1111111111111111111111111111111111111111";

let folder: string;
let server: FaultServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-earlier-"));
  server = await faultServer(({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://x");
    if (searchParams.get("apikey") !== KEY) json(response, { error: `who sent ${url}?` }, 403);
    else if (pathname !== "/old/api/tokens/balance") json(response, { error: "no such path" }, 404);
    else {
      const wallets = searchParams.get("wallets")?.split(",") ?? [];
      const balances = wallets.map((wallet_address) => ({ wallet_address, balance: "7000000" }));
      json(response, { token_address: TOKEN, chain_id: 8453, balances });
    }
  });
});

afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** `check --online` of a balance, with `legacy_base_url` alone. */
async function check(key: string) {
  await writeFile(
    join(folder, "rules.yaml"),
    `rules:
  - name: treasury
    watch: {kind: token_balance, chain: base, token: {id: "${TOKEN}", decimals: 6}, wallet: "${WALLET}"}
    when: {metric: balance, below: 5 tokens}
`,
  );
  const config = join(folder, "config.yaml");
  await writeFile(
    config,
    `service: {legacy_base_url: "${server.url}/old", api_key: "\${env:KEY}", timeout: 30s}
rules: [rules.yaml]
channels: {terminal: {kind: console}}
`,
  );
  const printed = { out: "", err: "" };
  const code = await runCli(["check", "--online", "--config", config], {
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
  return { code, ...printed };
}

describe("with the earlier family alone", () => {
  it("the service is asked without a word about the key", async () => {
    const { code, out, err } = await check(KEY);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/balance\s+7 /);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.headers).not.toHaveProperty("x-api-key");
  });

  it("a key that it refuses is told by what could not be had, and is not shown", async () => {
    const { code, out, err } = await check("twk_wr0ng-wr0ng+wr0ng");
    expect(code).toBe(1);
    expect(out).toContain("answered 403: who sent /old/api/tokens/balance");
    expect(out + err).not.toMatch(/wr0ng/i);
  });
});
