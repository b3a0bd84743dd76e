import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, InvalidArgumentError } from "commander";
import { startApp } from "../app.ts";
import { acceleratedClock, systemClock } from "../base/clock.ts";
import { parseDuration } from "../base/duration.ts";
import { createLogger } from "../base/log.ts";
import type { NoticeKind, RoundRecord } from "../model.ts";
import { DEMO_SCRIPT, DEMO_SEED, demoStart } from "../service/demo.ts";
import { DEMO_KEY } from "../service/keys.ts";
import { createMarket } from "../service/market.ts";
import { startService } from "../service/server.ts";
import { startDemoReceiver } from "./demo-receiver.ts";
import { EXIT, type Io, untilStopped, writer } from "./io.ts";
import { countOf, reportWarnings, subjectCount } from "./report.ts";
import { readSetup, secretsOf } from "./setup.ts";

interface DemoOptions {
  readonly for?: number;
  readonly speed: number;
  readonly seed: number;
}

export function demoCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("demo")
    .description("show the daemon at work on the embedded service, on a fast clock")
    .option("--for <duration>", "end by itself after so much real time, such as 30s", duration)
    .option("--speed <times>", "how many times as fast as real time the market runs", speed, 240)
    .option("--seed <number>", "another market", whole, DEMO_SEED)
    .addHelpText("after", "\nExample:\n  tickwatch demo --for 30s\n")
    .action(async (options: DemoOptions) => finish(await demo(options, io)));
}

/** The rules that come with the package. */
const RULES = fileURLToPath(new URL("../../rules", import.meta.url));

async function demo(options: DemoOptions, io: Io): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "tickwatch-demo-"));
  const notices = join(folder, "notices");
  await mkdir(notices);
  const start = demoStart(systemClock().now());
  const clock = acceleratedClock(start, options.speed);
  const market = createMarket({ seed: options.seed, start, script: DEMO_SCRIPT });
  const service = await startService({ market, clock, apiKey: DEMO_KEY });
  const receiver = await startDemoReceiver({ folder: notices, print: io.out });
  const config = join(folder, "config.yaml");
  await writeFile(config, configOf(service.baseUrl));
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
  const tally = new Tally(io);
  const app = await startApp({
    setup,
    log,
    clock,
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
      `The embedded service is at ${service.baseUrl}; its clock runs ${options.speed} times as fast as yours.`,
      `Watching ${countOf(subjects, "subject")} with ${countOf(setup.rules.length, "rule")} of ${RULES}. Ctrl-C ends it.`,
      "",
      "",
    ].join("\n"),
  );
  await untilStopped(AbortSignal.any([io.stop, io.unread]), options.for);
  await app.delivered();
  await app.stop();
  await receiver.close();
  await service.close();
  await rm(setup.store, { force: true });
  for (const suffix of ["-wal", "-shm", ".lock"]) await rm(setup.store + suffix, { force: true });
  await rm(config);
  io.out(`${tally.summary(subjects, notices)}\n`);
  return EXIT.fine;
}

function configOf(baseUrl: string): string {
  return [
    "service:",
    `  base_url: ${baseUrl}`,
    '  api_key: "${env:DEMO_KEY}"',
    "  requests_per_second: 1000",
    `rules: [${JSON.stringify(join(RULES, "*.yaml"))}]`,
    "store: demo.db",
    // On a fast clock there is no waiting for others.
    "group_wait: 0s",
    "channels:",
    "  terminal: {kind: console}",
    '  lp-slack: {kind: slack, url: "${env:DEMO_SLACK_URL}"}',
    "",
  ].join("\n");
}

/** Counts what happens, and says once a second of real time that rounds go by. */
class Tally {
  readonly #io: Io;
  readonly #kinds = new Map<NoticeKind, number>();
  readonly #quietMs = 1_000;
  #rounds = 0;
  #requests = 0;
  #since = 0;
  #spoken = Number.NEGATIVE_INFINITY;

  constructor(io: Io) {
    this.#io = io;
  }

  round({ date, requests, subjects, failed, tookMs }: RoundRecord): void {
    this.#rounds += 1;
    this.#requests += requests;
    this.#since += 1;
    const now = performance.now();
    if (now - this.#spoken < this.#quietMs) return;
    this.#spoken = now;
    const time = new Date(date).toISOString().slice(11, 16);
    const trouble = failed === 0 ? "" : `, ${failed} failed`;
    this.#io.out(
      `${time} UTC  ${countOf(this.#since, "round")}, the last with ${countOf(subjects, "subject")} in ${countOf(requests, "request")} (${tookMs} ms)${trouble}\n`,
    );
    this.#since = 0;
  }

  notice(kind: NoticeKind): void {
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
  }

  summary(subjects: number, folder: string): string {
    const kinds = [...this.#kinds].map(([kind, count]) => `${count} ${kind}`).join(", ");
    return [
      "",
      `${countOf(this.#rounds, "round")}, ${countOf(this.#requests, "request")}, ${countOf(subjects, "subject")}; notices: ${kinds === "" ? "none" : kinds}.`,
      `What Slack was sent is in ${folder}`,
      "To watch your own data: copy config.example.yaml to config.yaml, edit it and rules/, then `npx tickwatch check` and `npx tickwatch run`.",
    ].join("\n");
  }
}

function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === null || ms === 0) throw new InvalidArgumentError("It is a duration like 30s or 2m.");
  return ms;
}

function speed(text: string): number {
  const times = Number(text);
  if (!(times >= 1 && times <= 3_600))
    throw new InvalidArgumentError("It is a number from 1 to 3600.");
  return times;
}

function whole(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0) {
    throw new InvalidArgumentError("It is a whole number.");
  }
  return number;
}
