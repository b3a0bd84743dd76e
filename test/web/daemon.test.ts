import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it, type TestContext } from "vitest";
import { startApp } from "../../src/app.ts";
import { CHANNELS } from "../../src/channels/index.ts";
import { loadSetup } from "../../src/config/settings/load.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { POOL_ID } from "../kinds/records.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import {
  poolsOf,
  type ScriptedService,
  sendJson,
  startScriptedService,
} from "../support/scripted-service.ts";
import { until } from "../support/until.ts";

const START = Date.UTC(2026, 10, 28, 12);
const MINUTE = 60_000;
const KEY = "tw_0123456789abcdef";

const RULES = `
rules:
  - name: tvl-low
    watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: tvl_usd, below: 900 usd}
    schedule: 1m
`;

/** The daemon on a scripted service and a real database, on a clock that the test moves. */
async function setUp(
  test: TestContext,
  web: string | null,
  prepare: (service: ScriptedService) => void = () => {},
) {
  const service = await startScriptedService(test);
  prepare(service);
  const folder = await mkdtemp(join(tmpdir(), "tickwatch-web-"));
  test.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "rules.yaml"), RULES);
  await writeFile(
    join(folder, "config.yaml"),
    `service: {base_url: "${service.baseUrl}", api_key: "\${env:KEY}", requests_per_second: 1000}
rules: [rules.yaml]
group_wait: 0s
channels: {terminal: {kind: console}}
${web === null ? "" : `web: ${web}`}
`,
  );
  const options = { env: { KEY }, watches: KINDS, channels: CHANNELS };
  const { setup } = await loadSetup(join(folder, "config.yaml"), options);
  const clock = createFakeClock(START);
  const lines: string[] = [];
  let printed = "";
  let rounds = 0;
  const app = await startApp({
    setup,
    clock,
    log: pino({ level: "debug" }, { write: (line: string) => void lines.push(line) }),
    print: (text) => {
      printed += text;
    },
    colours: false,
    onRound: () => {
      rounds += 1;
    },
  });
  let stopped: Promise<unknown> | null = null;
  const stop = async (): Promise<void> => {
    await (stopped ??= app.stop());
  };
  test.onTestFinished(stop);
  const served = lines.find((line) => line.includes("metrics and health are served"));
  const url = /"url":"([^"]+)"/.exec(served ?? "")?.[1] ?? "";
  return {
    url,
    service,
    clock,
    stop,
    printed: () => printed,
    lines,
    get: async (path: string) => {
      const answer = await fetch(url + path);
      return { status: answer.status, body: await answer.text() };
    },
    minute: async () => {
      const before = rounds;
      await clock.advance(MINUTE);
      await until(() => rounds > before);
    },
  };
}

describe("the daemon with a web listener", () => {
  it("is healthy from the start, ready after its first round, and counts", async (test) => {
    let release = (): void => {};
    let isHeld = false;
    const { get, printed, service } = await setUp(test, "{listen: 127.0.0.1:0}", (held) =>
      held.answer(({ endpoint, query }) =>
        endpoint === "pool"
          ? (response) => {
              isHeld = true;
              release = () => sendJson(response, 200, poolsOf(query, { chain_id: 1 }));
            }
          : null,
      ),
    );
    expect((await get("/healthz")).status).toBe(200);
    const early = await get("/readyz");
    expect(early.status).toBe(503);
    expect(early.body).toContain('"first":["tvl-low"]');
    await until(() => isHeld);
    service.answer(null);
    release();
    await until(async () => (await get("/readyz")).status === 200);
    await until(() => printed() !== "");
    const { body } = await get("/metrics");
    for (const line of [
      "tickwatch_rounds_total 1",
      "tickwatch_round_duration_seconds_count 1",
      `tickwatch_last_round_timestamp_seconds ${START / 1_000}`,
      "tickwatch_rules 1",
      "tickwatch_late_rules 0",
      "tickwatch_subjects 1",
      'tickwatch_alerts{state="ok"} 1',
      'tickwatch_notices_total{kind="started"} 1',
      'tickwatch_channel_parked{channel="terminal"} 0',
      "tickwatch_commit_failures_total 0",
    ]) {
      expect(body).toContain(`\n${line}\n`);
    }
    expect(body).toMatch(/\ntickwatch_requests_total\{endpoint="\w+",outcome="ok"\} \d/);
    expect(body).toMatch(
      /\ntickwatch_source_lag_seconds\{endpoint="v4_pools?",chain="Ethereum"\} \d/,
    );
    expect(body).not.toContain("request_failures_total{");
    expect(body).not.toContain(POOL_ID.slice(0, 10));
    expect(body).not.toContain(KEY);
    await until(() => printed() !== "");
    let text = body;
    await until(
      async () => {
        text = (await get("/metrics")).body;
        return text.includes('deliveries_total{channel="terminal",outcome="sent"} 1');
      },
      () => text,
    );
    expect(text).toContain('\ntickwatch_owed_notices{channel="terminal"} 0\n');
  });

  it("is unhealthy while a rule has no rounds, tells people once, and recovers", async (test) => {
    const { get, minute, printed, clock, service } = await setUp(test, "{listen: 127.0.0.1:0}");
    await minute();
    let release = (): void => {};
    service.answer(({ endpoint }) =>
      endpoint === "pool"
        ? (response) => {
            release = () =>
              response.writeHead(200, { "content-type": "application/json" }).end("[]");
          }
        : null,
    );
    // The poll that hangs is not joined by another.
    for (let i = 0; i < 5; i += 1) await clock.advance(MINUTE);
    const sick = await get("/healthz");
    expect(sick.status).toBe(503);
    expect(JSON.parse(sick.body)).toEqual({
      healthy: false,
      reasons: ["1 rule missed every round for three intervals: tvl-low"],
    });
    expect((await get("/metrics")).body).toContain("\ntickwatch_late_rules 1\n");
    await until(() => printed().includes("A rule missed every round for three intervals: tvl-low"));
    expect((await get("/metrics")).body).toContain('\ntickwatch_notices_total{kind="self"} 1\n');
    service.answer(null);
    release();
    await minute();
    expect((await get("/healthz")).status).toBe(200);
    for (let i = 0; i < 11; i += 1) await minute();
    await until(() => printed().includes("All rules are polled on time again"));
    expect(printed().split("missed every round")).toHaveLength(2);
  });

  it("counts requests that fail, by reason", async (test) => {
    const { get, minute, service } = await setUp(test, "{listen: 127.0.0.1:0}");
    service.answer(({ endpoint }) =>
      endpoint === "pool" ? (response) => response.writeHead(400).end("no") : null,
    );
    await minute();
    const { body } = await get("/metrics");
    expect(body).toMatch(/\ntickwatch_requests_total\{endpoint="v4_pools?",outcome="failed"\} \d/);
    expect(body).toMatch(
      /\ntickwatch_request_failures_total\{endpoint="v4_pools?",reason="refused"\} \d/,
    );
    service.answer(({ endpoint }) =>
      endpoint === "pool" ? (response) => response.writeHead(200).end('{"odd":1}') : null,
    );
    await minute();
    expect((await get("/metrics")).body).toMatch(
      /failures_total\{endpoint="v4_pools?",reason="malformed"\}/,
    );
  });

  it("listens no more once it is stopped", async (test) => {
    const { get, stop } = await setUp(test, "{listen: 127.0.0.1:0}");
    expect((await get("/healthz")).status).toBe(200);
    await stop();
    await expect(get("/healthz")).rejects.toThrow("fetch failed");
  });

  it("does not listen unless it is told to", async (test) => {
    const { url, minute, lines } = await setUp(test, null);
    await minute();
    expect(url).toBe("");
    expect(lines.join("")).not.toContain("metrics");
  });
});
