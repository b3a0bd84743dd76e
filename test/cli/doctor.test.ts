import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/program.ts";
import { openConnection } from "../../src/store/sqlite/connection.ts";
import { runProgram } from "../support/program.ts";
import { mountSmallDisk, unmount } from "../support/small-disk.ts";
import { runTickwatch } from "./test-command.ts";

const KEY = "tw_0123456789abcdef";
let folder: string;
let store: string;
let server: Server;
/** What the service says, and how far ahead its clock is. */
let says: { valid: boolean; aheadMs: number };
let asked: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-doctor-"));
  store = join(folder, "tickwatch.db");
  says = { valid: true, aheadMs: 0 };
  asked = [];
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.setHeader("date", new Date(Date.now() + says.aheadMs).toUTCString());
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ valid: says.valid }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  await rm(folder, { recursive: true, force: true });
});

const portOf = (): number => (server.address() as AddressInfo).port;

async function doctor(
  args: readonly string[] = [],
  {
    env = {},
    channels = ["  terminal: {kind: console}"],
  }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly channels?: readonly string[];
  } = {},
) {
  const config = join(folder, "config.yaml");
  await writeFile(
    config,
    [
      `service: {base_url: "http://127.0.0.1:${portOf()}", api_key: "\${env:KEY}"}`,
      "rules: [rules.yaml]",
      "channels:",
      ...channels,
      "",
    ].join("\n"),
  );
  await writeFile(
    join(folder, "rules.yaml"),
    "rules:\n  - {name: tip, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}}\n",
  );
  const printed = { out: "", err: "" };
  const code = await runCli(["doctor", "--config", config, ...args], {
    out: (text) => void (printed.out += text),
    err: (text) => void (printed.err += text),
    env: { KEY, ...env },
    colours: false,
    errTerminal: false,
    errColours: false,
    stop: () => new AbortController().signal,
    onHangup: () => {},
    unread: new AbortController().signal,
  });
  return { code, ...printed };
}

describe("tickwatch doctor", () => {
  it("finds nothing wrong, and changes and sends nothing", async () => {
    (await openConnection(store)).close();
    const before = readFileSync(store);
    const { code, out, err } = await doctor();
    expect([code, err]).toEqual([0, ""]);
    for (const words of [
      /^ok +tickwatch +\d+\.\d+\.\d+$/m,
      /^ok +node +Node \d+/m,
      /^ok +sqlite +the driver loads; SQLite 3\./m,
      /^ok +configuration +1 rule, 1 channel$/m,
      /^ok +rights +user \d+ can write /m,
      /^(?:ok|warning) +disk +[\d.]+ [MG]B of [\d.]+ [MG]B free/m,
      /^ok +database +\S+tickwatch\.db: \d+ kB, format \d+, no fault found$/m,
      /^ok +privacy +only its owner can read it$/m,
      /^ok +daemon +no daemon uses the database$/m,
      /^ok +clock +as the service's$/m,
      /^ok +api key +the service accepts it$/m,
      /^ok +channel terminal +/m,
      /^Nothing is wrong[^\n]*\. This report holds no secret\.$/m,
    ]) {
      expect(out).toMatch(words);
    }
    expect(before.equals(readFileSync(store))).toBe(true);
    expect(asked.every((one) => one.startsWith("GET "))).toBe(true);
  });

  it("says that the disk is full, with code 4", async ({ skip }) => {
    const disk = mountSmallDisk(4_000_000);
    if (disk === null) return skip();
    const place = folder;
    try {
      folder = disk;
      writeFileSync(join(disk, "filler"), Buffer.alloc(3_500_000));
      const { code, out } = await doctor(["--offline"]);
      expect(out).toMatch(
        /^FAILED +disk +\d+ kB of 4\.0 MB free: the daemon cannot write its database; free some space$/m,
      );
      expect(code).toBe(4);
    } finally {
      folder = place;
      unmount(disk);
    }
  });

  it.each([
    [30_000, 0, /^warning +clock +this machine's clock is (?:29|30|31) s behind the service's/m],
    [
      -3_600_000,
      1,
      /^FAILED +clock +this machine's clock is (?:1 h|59 min[^\n]*) ahead of the service's/m,
    ],
  ])("compares the clock with the service's: %d ms ahead", async (aheadMs, code, words) => {
    says.aheadMs = aheadMs;
    const seen = await doctor();
    expect(seen.out).toMatch(words);
    expect(seen.code).toBe(code);
  });

  it("says that the key is rejected, with code 3", async () => {
    says.valid = false;
    const { code, out } = await doctor();
    expect(code).toBe(3);
    expect(out).toMatch(/^FAILED +api key +the service rejects it: see service\.api_key$/m);
    expect(out).not.toContain(KEY);
  });

  it("says why a database cannot be used, whatever of its secret stands in that", async () => {
    const { code, out } = await doctor(["--offline"], {
      env: { DB: "postgres://me:ECONNREFUSED@127.0.0.1:1/monitoring?sslmode=disable" },
      channels: ["  terminal: {kind: console}", 'store: "${env:DB}"'],
    });
    expect(code).toBe(4);
    expect(out).toMatch(
      /^FAILED +database +cannot use the PostgreSQL schema tickwatch: connect \[redacted\] 127\.0\.0\.1:1: check/m,
    );
  });

  it("reaches channels without a message, and shows no part of their secrets", async () => {
    const free = createServer();
    await new Promise<void>((resolve) => {
      free.listen(0, "127.0.0.1", resolve);
    });
    const dead = (free.address() as AddressInfo).port;
    await new Promise((resolve) => {
      free.close(resolve);
    });
    const env = {
      HOOK: `http://127.0.0.1:${portOf()}/very/secret-path`,
      DEAD: `http://127.0.0.1:${dead}/other-secret`,
      SMTP: "smtps://someone:pass-word@nowhere.invalid",
    };
    const channels = [
      '  hook: {kind: webhook, url: "${env:HOOK}"}',
      '  dead: {kind: slack, url: "${env:DEAD}"}',
      '  mail: {kind: email, smtp: "${env:SMTP}", from: a@example.org, to: b@example.org}',
    ];
    for (const args of [[], ["--json"]]) {
      asked = [];
      const { code, out, err } = await doctor(args, { env, channels });
      expect([code, err]).toEqual([3, ""]);
      expect(out).not.toMatch(
        /secret-path|other-secret|someone|pass-word|nowhere\.invalid|tw_0123/,
      );
      expect(asked.filter((one) => one.includes("secret"))).toEqual([]);
      if (args.length > 0) {
        expect(JSON.parse(out)).toMatchObject({ ok: false });
        continue;
      }
      expect(out).toMatch(/^ok +channel hook +port \d+ answers, without TLS$/m);
      expect(out).toMatch(/^FAILED +channel dead +port \d+ does not answer \(ECONNREFUSED\)$/m);
      expect(out).toMatch(/^FAILED +channel mail +its name cannot be looked up \(\w+\)/m);
    }
  });

  it("reaches each node in place of a service, and names none", async () => {
    await doctor();
    const config = join(folder, "config.yaml");
    const text = readFileSync(config, "utf8").replace(
      /^service: .*$/m,
      'service: {rpc: {chains: {ethereum: {urls: ["${env:RPC}", "${env:SPARE}"]}}}}',
    );
    writeFileSync(config, text);
    const env = {
      RPC: `http://127.0.0.1:${portOf()}/a-secret-key`,
      SPARE: "http://127.0.0.1:1/b-secret-key",
    };
    const seen = await runTickwatch(["doctor", "--config", config], { env });
    expect(seen.code).toBe(3);
    expect(seen.out).toMatch(/^ok +node 1 of Ethereum +port \d+ answers, without TLS$/m);
    expect(seen.out).toMatch(/^FAILED +node 2 of Ethereum +port 1 does not answer/m);
    expect(seen.out).not.toMatch(/secret-key/);
  });

  it("finds a damaged database and one that others can read, with code 4, and goes on", async () => {
    (await openConnection(store)).close();
    chmodSync(store, 0o644);
    const open = await doctor();
    expect(open.code).toBe(0);
    expect(open.out).toMatch(
      /^warning +privacy +other users can read \S+tickwatch\.db: chmod 600$/m,
    );
    const bytes = readFileSync(store);
    bytes.fill(0xa5, 8_192, 12_288);
    writeFileSync(store, bytes);
    const damaged = await doctor();
    expect(damaged.code).toBe(4);
    expect(damaged.out).toMatch(
      /^FAILED +database +\S+ is damaged|^FAILED +database +[^\n]+damaged \(/m,
    );
    expect(damaged.out).toMatch(/^ok +api key/m);
  });

  it("sees a daemon beside it", async () => {
    const held = await openConnection(store);
    try {
      // This process holds the lock itself: another one must look.
      await doctor();
      const seen = await runProgram(
        { onTestFinished: () => {} },
        ["doctor", "--offline", "--config", join(folder, "config.yaml")],
        { env: { KEY } },
      );
      expect(seen.code).toBe(0);
      expect(seen.out).toMatch(/^ok +daemon +a daemon uses the database$/m);
    } finally {
      held.close();
    }
  });

  it("says what is wrong with the configuration with code 2, and looks at the rest", async () => {
    const { code, out } = await doctor([], {
      channels: ['  hook: {kind: webhook, url: "${env:HOOK}"}'],
    });
    expect(code).toBe(2);
    expect(out).toMatch(
      /^FAILED +configuration +1 problem: run tickwatch check\. The first: \S+config\.yaml:4: the environment variable HOOK is not set\.$/m,
    );
    expect(out).toMatch(/^ok +database +there is none at /m);
    expect(existsSync(store)).toBe(false);
  });
});
