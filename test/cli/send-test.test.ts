import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Io } from "../../src/cli/io.ts";
import { runCli } from "../../src/cli/program.ts";
import { NOTICE_KINDS } from "../../src/model/index.ts";
import { sampleNotice } from "../../src/operate/sample-notice.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";

const AT = Date.UTC(2026, 10, 27, 15, 6);

describe("the samples", () => {
  it("are worded by the engine and marked as a test", () => {
    const headlines = NOTICE_KINDS.map((kind) => sampleNotice(kind, AT).headline);
    expect(headlines).toEqual([
      "🔵 Watching 12 subjects with 3 rules; new: send-test",
      "🟠 Out of range: TEST ETH/USDC. 2,310.27 > 2,249.96 USDC/ETH. Now all USDC",
      "🟠 Worse: Out of range: TEST ETH/USDC. 2,310.27 > 2,249.96 USDC/ETH. Now all USDC",
      "🟠 Still out of range: TEST ETH/USDC. 2,310.27 > 2,249.96 USDC/ETH. For 3 h 12 m",
      "🟢 Back in range: TEST ETH/USDC at 2,231.4 USDC/ETH. Was out 3 h 12 m",
      "🟠 Price crossed 2,250 USDC/ETH upwards: TEST ETH/USDC, now 2,310.27. Ethereum",
      "⚪ No data 15 min: TEST ETH/USDC. Was quiet, its state is kept. Ethereum",
      "⚪ Data back after 15 min: TEST ETH/USDC. Quiet: in range",
      "🟠 Flapping: TEST ETH/USDC fired 6 times in 1 h. Quiet until it settles",
      "🟠 Steady, still firing since 2026-11-27 11:54 UTC: TEST ETH/USDC",
      "⚪ New baseline: TEST ETH/USDC. Its records went back 5 min ago and stayed",
      "⚪ No longer watched: TEST ETH/USDC. It was firing (rule send-test)",
      "⚪ Source down 15 min: V4 pools. 3 rules, 14 alerts blind, their state is kept",
      "🟢 Source back after 15 min: V4 pools answer again",
      "⚪ Channel TEST is rejecting messages; notices are queued",
      "📋 TEST: 1 of 13 alerts firing",
    ]);
    for (const kind of NOTICE_KINDS) {
      expect(sampleNotice(kind, AT)).toMatchObject({
        kind,
        title: "This is a test: nothing has happened.",
      });
    }
  });
});

describe("tickwatch send-test", () => {
  let folder: string;
  let receiver: Receiver;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "tickwatch-send-test-"));
    receiver = await startReceiver();
    await writeFile(
      join(folder, "config.yaml"),
      [
        'service: {base_url: "http://127.0.0.1:1", api_key: "${env:KEY}"}',
        "rules: [rules.yaml]",
        "channels:",
        "  terminal: {kind: console}",
        '  lp-hook: {kind: webhook, url: "${env:HOOK}"}',
        "",
      ].join("\n"),
    );
    await writeFile(
      join(folder, "rules.yaml"),
      [
        "rules:",
        "  - name: tip",
        "    watch: {kind: gas, chain: ethereum}",
        "    when: {metric: tip_top10, above: 5 gwei}",
        "",
      ].join("\n"),
    );
  });

  afterEach(async () => {
    await receiver.close();
    await rm(folder, { recursive: true });
  });

  async function run(
    ...args: readonly string[]
  ): Promise<{ code: number; out: string; err: string }> {
    const texts = { out: "", err: "" };
    const io: Io = {
      out: (text) => {
        texts.out += text;
      },
      err: (text) => {
        texts.err += text;
      },
      env: { KEY: "key-of-the-service", HOOK: `${receiver.origin}/hook/secret-path` },
      colours: false,
      errTerminal: false,
      errColours: false,
      stop: () => new AbortController().signal,
      onHangup: () => {},
      unread: new AbortController().signal,
    };
    const config = join(folder, "config.yaml");
    const code = await runCli(["send-test", ...args, "--config", config], io);
    expect(texts.out + texts.err).not.toContain("secret-path");
    return { code, ...texts };
  }

  it("sends each kind, says what came back, and ends with 0", async () => {
    const { code, out } = await run("lp-hook");
    expect(code).toBe(0);
    expect(out).toBe(
      [
        "notice        what lp-hook said",
        ...NOTICE_KINDS.map((kind) => `${kind.padEnd(12)}  delivered`),
        "",
      ].join("\n"),
    );
    const kinds = receiver.received.map(({ body }) => (JSON.parse(body) as { kind: string }).kind);
    expect(kinds).toEqual([...NOTICE_KINDS]);
  });

  it("sends one kind alone", async () => {
    expect((await run("lp-hook", "--kind", "fired")).code).toBe(0);
    expect(receiver.received).toHaveLength(1);
  });

  it("prints on a console channel", async () => {
    const { code, out } = await run("terminal", "--kind", "resolved");
    expect(code).toBe(0);
    expect(out).toContain("🟢 Back in range: TEST ETH/USDC");
  });

  it("ends with 3 when a sample is not delivered", async () => {
    receiver.answer((response) => {
      response.writeHead(500).end();
    });
    const { code, out } = await run("lp-hook", "--kind", "fired");
    expect(code).toBe(3);
    expect(out).toContain("fired   not delivered, would be tried again: HTTP 500");
  });

  it("does not go on once the channel refuses", async () => {
    receiver.answer((response) => {
      response.writeHead(401).end();
    });
    const { code, out } = await run("lp-hook");
    expect(code).toBe(3);
    expect(receiver.received).toHaveLength(1);
    expect(out).toContain("started       refused, the daemon would wait: HTTP 401");
    expect(out).toContain("fired         not tried");
  });

  it("knows no other channel, with a suggestion, and no other kind", async () => {
    const { code, err } = await run("lp-hok");
    expect(code).toBe(2);
    expect(err).toBe(
      'tickwatch: no channel is called "lp-hok"; there is terminal, lp-hook. Did you mean lp-hook?\n',
    );
    const other = await run("lp-hook", "--kind", "fird");
    expect(other.code).toBe(2);
    expect(other.err).toContain("Allowed choices are started, fired");
    expect(receiver.received).toEqual([]);
  });
});
