import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as send } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import type { TestContext } from "vitest";
import { type App, startApp } from "../../src/app.ts";
import { isMap, type JsonMap } from "../../src/base/json.ts";
import { CHANNELS } from "../../src/channels/index.ts";
import { loadSetup } from "../../src/config/settings/load.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { gasHour, POOL_ID } from "../kinds/records.ts";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";
import { poolsOf, startScriptedService } from "./scripted-service.ts";
import { until } from "./until.ts";

const WEB_START = Date.UTC(2026, 10, 28, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** In wei. */
const TIP_BEFORE = "1000000000";
export const TOKEN = "tok_0123456789abcdef";
export const WALL = "wall_0123456789abcde";

export const RULE = "tvl-low";
export const SUBJECT = `v4_pool:1:${POOL_ID}`;

const RULES = `rules:
  - name: ${RULE}
    watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: tvl_usd, below: 900 usd}
    for: 1m
    schedule: 1m
    severity: critical
    labels: {team: lp}
`;

export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The body as JSON; empty for any other. */
  readonly body: JsonMap;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or a text as it is. */
  readonly body?: unknown;
}

export interface WebDaemon {
  readonly url: string;
  readonly app: App;
  readonly clock: FakeClock;
  readonly lines: readonly string[];
  /** What the service answers from now on, in dollars. */
  tvl: number;
  /** The tip of the running hour, in wei; the hour before has another one. */
  tip: string;
  ask(path: string, asking?: Asking): Promise<Got>;
  minutes(count: number): Promise<void>;
  /** Another process on the same database, in which no round was due yet. */
  restart(): Promise<void>;
}

/** The daemon on a scripted service and a real database, with the web listener, on a clock that the test moves. */
export async function startWebDaemon(
  test: TestContext,
  web: string,
  channels = "{terminal: {kind: console}}",
  rules = RULES,
): Promise<WebDaemon> {
  const service = await startScriptedService(test);
  const folder = await mkdtemp(join(tmpdir(), "tickwatch-api-"));
  test.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "rules.yaml"), rules);
  await writeFile(
    join(folder, "config.yaml"),
    `service: {base_url: "${service.baseUrl}", api_key: "\${env:KEY}", requests_per_second: 1000}
rules: [rules.yaml]
group_wait: 0s
channels: ${channels}
web: ${web}
`,
  );
  const env = { KEY: "tw_0123456789abcdef", TOKEN, WALL };
  const options = { env, watches: KINDS, channels: CHANNELS };
  const { setup } = await loadSetup(join(folder, "config.yaml"), options);
  const clock = createFakeClock(WEB_START);
  const lines: string[] = [];
  let rounds = 0;
  let tvl = 1_000;
  let tip = TIP_BEFORE;
  service.answer(({ endpoint, query }) => {
    if (endpoint === "pool") return poolsOf(query, { chain_id: 1, tvl_usd: tvl });
    if (endpoint !== "gas") return null;
    const hour = Math.floor(clock.now() / HOUR) * HOUR;
    return [
      [hour - HOUR, TIP_BEFORE],
      [hour, tip],
    ].map(([at, wei]) =>
      gasHour(new Date(Number(at)).toISOString(), { avg_priority_fee_top10_threshold: wei }),
    );
  });
  const start = async (): Promise<{ app: App; url: string }> => {
    const from = lines.length;
    const app = await startApp({
      setup,
      clock,
      log: pino({ level: "info" }, { write: (line: string) => void lines.push(line) }),
      print: () => {},
      colours: false,
      onRound: () => {
        rounds += 1;
      },
    });
    const served = lines.slice(from).find((line) => line.includes("metrics and health are served"));
    return { app, url: /"url":"([^"]+)"/.exec(served ?? "")?.[1] ?? "" };
  };
  let running = await start();
  test.onTestFinished(async () => {
    await running.app.stop();
  });
  await until(() => rounds > 0);
  return {
    get url() {
      return running.url;
    },
    get app() {
      return running.app;
    },
    clock,
    lines,
    get tvl() {
      return tvl;
    },
    set tvl(value) {
      tvl = value;
    },
    get tip() {
      return tip;
    },
    set tip(wei) {
      tip = wei;
    },
    ask: (path, asking) => ask(running.url, path, asking),
    async restart() {
      await running.app.stop();
      running = await start();
    },
    async minutes(count) {
      for (let i = 0; i < count; i += 1) {
        const before = rounds;
        await clock.advance(MINUTE);
        await until(() => rounds > before);
      }
    },
  };
}

/** fetch would send neither a Host nor an Origin of its own choice. */
function ask(
  url: string,
  path: string,
  { method = "GET", headers = {}, body }: Asking = {},
): Promise<Got> {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = send(
      {
        host: hostname,
        port,
        path,
        method,
        agent: false,
        headers: {
          ...(typeof body === "object" ? { "content-type": "application/json" } : {}),
          ...(text === undefined ? {} : { "content-length": String(Buffer.byteLength(text)) }),
          ...headers,
        },
      },
      (response) => {
        let got = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          got += chunk;
        });
        response.on("end", () => {
          let json: unknown = null;
          try {
            json = JSON.parse(got);
          } catch {
            // It is a page, or plain text.
          }
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: got,
            body: isMap(json) ? json : {},
          });
        });
      },
    );
    request.on("error", reject);
    request.end(text);
  });
}
