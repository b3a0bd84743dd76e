import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { startApp } from "../app.ts";
import { acceleratedClock, clockOf, systemClock } from "../base/clock.ts";
import { isMap } from "../base/json.ts";
import { createLogger } from "../base/log.ts";
import { countOf } from "../base/text.ts";
import { Document } from "../config/files/document.ts";
import { expandGlob } from "../config/files/globs.ts";
import { decode, LARGEST_FILE, readFromDisk } from "../config/files/read-text.ts";
import { TextFile } from "../config/files/text-file.ts";
import { NOTICE_KINDS, type NoticeKind, type RoundRecord } from "../model/index.ts";
import { DEMO_KEY, startService } from "../serve/server.ts";
import { DEMO_SCRIPT, demoStart } from "../simulator/demo.ts";
import { LISTED_POOLS } from "../simulator/listed-pools.ts";
import { createMarket } from "../simulator/market.ts";
import { DEMO_SEED } from "../simulator/units.ts";
import { startDemoReceiver } from "./demo-receiver.ts";
import { EXIT, type Io, untilStopped, writer } from "./io.ts";
import { reportWarnings, subjectCount } from "./report.ts";
import { readScenario } from "./scenario.ts";
import { readSetup, secretsOf } from "./setup.ts";

export interface DemoOptions {
  readonly for?: number;
  readonly speed: number;
  readonly seed?: number;
  readonly scenario?: string;
  /** The node whose chain is watched in place of the simulated market: `env:NAME`. */
  readonly rpc?: string;
  /** Patterns; those that come with the package if there are none. */
  readonly rules?: readonly string[];
}

/** The rules that come with the package. */
const RULES = fileURLToPath(new URL("../../rules", import.meta.url));

const STORE = "demo.db";

/** `tickwatch demo`: runs until `for` is over or the user wants it to end. Throws ConfigError. */
export async function demo(options: DemoOptions, io: Io): Promise<number> {
  if (options.rpc !== undefined) {
    const { demoNodes } = await import("./demo-nodes.ts");
    return await demoNodes({ ...options, rpc: options.rpc }, io);
  }
  const { script, faults } =
    options.scenario === undefined
      ? { script: DEMO_SCRIPT, faults: [] }
      : await readScenario(options.scenario);
  const rules = (options.rules ?? [join(RULES, "*.yaml")]).map((pattern) => resolve(pattern));
  const folder = await mkdtemp(join(tmpdir(), "tickwatch-demo-"));
  const notices = join(folder, "notices");
  await mkdir(notices);
  const start = demoStart(systemClock().now());
  const market = createMarket({ seed: options.seed ?? DEMO_SEED, start, script });
  // The first question about a pool sums up its past, in which minutes would pass on the fast clock.
  for (const { chainId, id } of LISTED_POOLS) market.pool(chainId, id, start);
  // Likewise what takes time to load.
  await Promise.all([import("../web/start.ts"), import("../web/server.ts")]);
  const clock = acceleratedClock(start, options.speed);
  const service = await startService({ world: market, clock, apiKey: DEMO_KEY, faults });
  const receiver = await startDemoReceiver({ folder: notices, print: io.out });
  const config = join(folder, "config.yaml");
  const port = await freePort();
  await writeFile(config, configOf(service.baseUrl, port, rules, await channelsOf(rules)));
  const env = { DEMO_KEY, DEMO_SLACK_URL: receiver.url };
  const { setup, warnings } = await readSetup(config, { env });
  reportWarnings(warnings, io);
  const log = createLogger({
    // On a fast clock a round may well not be over when the next one is due, which is no trouble.
    level: "error",
    stream: { write: writer(io.err) },
    pretty: true,
    colours: io.errColours,
    secrets: secretsOf(setup),
  });
  io.out(`Open http://127.0.0.1:${port} to look at it: what fires and why, and to act.\n\n`);
  const tally = new Tally(io);
  const stop = io.stop();
  const app = await startApp({
    setup,
    log,
    clock,
    // Receivers live in real time; when they were told stands beside what happened, in the market's time.
    outboxClock: clockOf(() => clock.now()),
    selfChecks: false,
    print: io.out,
    colours: io.colours,
    onRound: (record) => tally.round(record),
    onNotices: (tellings) => {
      for (const { notice } of tellings) tally.notice(notice.kind);
    },
  });
  const subjects = subjectCount(setup);
  io.out(
    [
      `The simulated service is at ${service.baseUrl}; its clock runs ${options.speed} times as fast as yours.`,
      `Watching ${countOf(subjects, "subject")} with ${countOf(setup.rules.length, "rule")} of ${options.rules === undefined ? RULES : rules.join(", ")}. Ctrl-C stops it.`,
      "",
      "",
    ].join("\n"),
  );
  await untilStopped(AbortSignal.any([stop, io.unread]), options.for);
  await app.delivered();
  // The rounds go on meanwhile: what the last of them tells is sent as well.
  await app.rounds.stop();
  await app.delivered();
  await app.stop();
  await receiver.close();
  await service.close();
  for (const suffix of ["", "-wal", "-shm", ".lock"]) {
    await rm(join(folder, STORE + suffix), { force: true });
  }
  await rm(config);
  io.out(`${tally.summary(subjects, notices)}\n`);
  return EXIT.fine;
}

/** A port of loopback that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** A configuration with a channel of each name that the rules use. */
function configOf(
  baseUrl: string,
  port: number,
  rules: readonly string[],
  channels: readonly string[],
): string {
  const others = channels.filter((name) => name !== "terminal" && name !== "lp-slack");
  return [
    "service:",
    `  base_url: ${baseUrl}`,
    `  legacy_base_url: ${baseUrl}`,
    '  api_key: "${env:DEMO_KEY}"',
    // Time limits are real time, of which each second is minutes of the market's.
    "  timeout: 5s",
    "  requests_per_second: 1000",
    `rules: ${JSON.stringify(rules)}`,
    `store: ${STORE}`,
    // On a fast clock there is no waiting for others.
    "group_wait: 0s",
    `web: {listen: "127.0.0.1:${port}", actions: true}`,
    "channels:",
    "  terminal: {kind: console}",
    '  lp-slack: {kind: slack, url: "${env:DEMO_SLACK_URL}"}',
    ...others.map((name) => `  ${JSON.stringify(name)}: {kind: console}`),
    "",
  ].join("\n");
}

/** Counts what happens, and says once a second of real time that rounds go by. */
class Tally {
  readonly #kinds = new Map<NoticeKind, number>();
  readonly #quietMs = 1_000;
  #rounds = 0;
  #requests = 0;
  #since = 0;
  #spoken = Number.NEGATIVE_INFINITY;

  constructor(private readonly io: Io) {}

  round({ date, requests, subjects, failed, tookMs }: RoundRecord): void {
    this.#rounds += 1;
    this.#requests += requests;
    this.#since += 1;
    const now = performance.now();
    if (now - this.#spoken < this.#quietMs) return;
    this.#spoken = now;
    const time = new Date(date).toISOString().slice(11, 16);
    const trouble = failed === 0 ? "" : `, ${failed} failed`;
    this.io.out(
      `${time} UTC  ${countOf(this.#since, "round")}, the last with ${countOf(subjects, "subject")} in ${countOf(requests, "request")} (${tookMs} ms)${trouble}\n`,
    );
    this.#since = 0;
  }

  notice(kind: NoticeKind): void {
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
  }

  summary(subjects: number, folder: string): string {
    // Alerts first, in one order whichever was told first; the start's notice is no alert.
    const kinds = [...NOTICE_KINDS.filter((kind) => kind !== "started"), "started" as const]
      .filter((kind) => this.#kinds.has(kind))
      .map((kind) => `${this.#kinds.get(kind) ?? 0} ${kind}`)
      .join(", ");
    return [
      "",
      `${countOf(this.#rounds, "round")}, ${countOf(this.#requests, "request")}, ${countOf(subjects, "subject")}; notices: ${kinds === "" ? "none" : kinds}.`,
      `Messages sent to Slack are in ${folder}`,
      "To watch your own data: copy config.example.yaml to config.yaml, edit it and rules/, then `npx tickwatch check` and `npx tickwatch run`.",
    ].join("\n");
  }
}

/**
 * The channels that rules files tell, so that the demo can have one of each name. What cannot be read
 * is left to the loading of the rules, which tells what is wrong.
 */
async function channelsOf(patterns: readonly string[]): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const pattern of patterns) {
    const files = await expandGlob(pattern, process.cwd()).catch(() => []);
    for (const path of files) {
      const bytes = await readFromDisk(path, LARGEST_FILE).catch(() => null);
      const file = bytes === null ? null : decode(path, bytes);
      if (file instanceof TextFile)
        for (const name of namesIn(new Document(file).root)) names.add(name);
    }
  }
  return [...names];
}

function namesIn(root: unknown): readonly string[] {
  if (!isMap(root) || !Array.isArray(root.rules)) return [];
  return root.rules.flatMap((rule: unknown): string[] => {
    const notify: unknown = isMap(rule) ? rule.notify : null;
    const names: readonly unknown[] = Array.isArray(notify) ? notify : [notify];
    return names.filter((name) => typeof name === "string");
  });
}
