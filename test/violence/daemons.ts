import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Relay, startRelay } from "../postgres/support/relay.ts";
import type { Server } from "../postgres/support/server.ts";
import { type Owner, type Program, startProgram } from "../support/program.ts";
import { SHIFTED_CLOCK } from "./shifted-clock.ts";

/** What a daemon keeps to while it cannot reach the server. */
export type OnOutage = "continue" | "suspend";

/** One daemon of several: its process, which may be another one after a death, and its own way to the server. */
export interface Member {
  readonly name: string;
  readonly relay: Relay;
  readonly process: Program;
  /** What all of its processes have logged. */
  readonly logs: () => string;
  /** By itself, or because it was told to. */
  readonly hasEnded: boolean;
  /** Starts it; the one before must have ended. */
  start(): void;
  /** Its files have another rule from now on, which it loads. */
  edit(rule: string): void;
  /** Its clock is off by so many milliseconds from now on. */
  shift(ms: number): void;
}

export interface Place {
  readonly main: string;
  readonly serviceUrl: string;
  readonly sinkUrl: string;
  readonly rules: string;
}

const KEY = "tw_0123456789abcdef";

function configText({ serviceUrl }: Place, store: string): string {
  return `service: {base_url: "${serviceUrl}", api_key: "\${env:KEY}", timeout: 2s, requests_per_second: 1000}
rules: [rules.yaml]
${store}
group_wait: 0s
flapping: {more_than: 100, within: 1m}
defaults: {schedule: 1s}
channels:
  sink: {kind: webhook, url: "\${env:SINK}"}
log: {level: info}
`;
}

function makeFolder(owner: Owner, place: Place, store: string): string {
  const folder = mkdtempSync(join(tmpdir(), "tickwatch-violence-"));
  owner.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "config.yaml"), configText(place, store));
  writeFileSync(join(folder, "rules.yaml"), place.rules);
  return folder;
}

/** One daemon with a file of its own, which nobody disturbs. */
export function startTwin(owner: Owner, place: Place): Program {
  const folder = makeFolder(owner, place, "store: tickwatch.db");
  return startProgram(owner, [place.main, "run", "--config", join(folder, "config.yaml")], {
    file: process.execPath,
    env: { KEY, SINK: place.sinkUrl },
  });
}

export async function startMember(
  owner: Owner,
  place: Place,
  {
    server,
    schema,
    name,
    onOutage,
  }: {
    readonly server: Server;
    readonly schema: string;
    readonly name: string;
    readonly onOutage: OnOutage;
  },
): Promise<Member> {
  const relay = await startRelay(server.port);
  owner.onTestFinished(() => relay.close());
  const store = `store: "\${env:DATABASE_URL}"\ncluster: {name: ${name}, on_outage: ${onOutage}}`;
  const folder = makeFolder(owner, place, store);
  const clock = join(folder, "clock");
  writeFileSync(clock, "0");
  const preload = join(folder, "shifted-clock.mjs");
  writeFileSync(preload, SHIFTED_CLOCK);
  const env = {
    KEY,
    SINK: place.sinkUrl,
    CLOCK_FILE: clock,
    DATABASE_URL: server.url(schema, { port: relay.port }),
  };
  const args = ["--import", preload, place.main, "run", "--config", join(folder, "config.yaml")];
  let hasEnded = false;
  const runs: Program[] = [];
  const run = (): Program => {
    const started = startProgram(owner, args, { file: process.execPath, env });
    hasEnded = false;
    runs.push(started);
    void started.ended.then(() => {
      hasEnded = true;
    });
    return started;
  };
  let running = run();
  return {
    name,
    relay,
    get process() {
      return running;
    },
    logs: () => runs.map((one) => one.err()).join(`--- started anew\n`),
    get hasEnded() {
      return hasEnded;
    },
    start() {
      running = run();
    },
    edit(rule) {
      writeFileSync(join(folder, "rules.yaml"), place.rules + rule);
      running.kill("SIGHUP");
    },
    shift(ms) {
      writeFileSync(clock, String(ms));
      running.kill("SIGUSR2");
    },
  };
}
