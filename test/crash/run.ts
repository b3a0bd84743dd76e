import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Owner } from "../support/program.ts";
import { startScriptedService } from "../support/scripted-service.ts";
import { CLOCK_FILE, type Death, type Life, STEPS_FILE } from "./life.ts";
import { type Arrival, type Receivers, startReceivers } from "./receivers.ts";
import { readStored, type Stored } from "./stored.ts";
import { poolAt, roundsOf, START, writeConfig } from "./story.ts";

/** How a daemon of a run ends: at a step, after so many real milliseconds, or not before its time. */
export type Ending = Death | { readonly afterMs: number };

export interface RunPlan {
  /** One for each life but the last, which goes on to the end of the story. */
  readonly endings: readonly Ending[];
  readonly pace: Life["pace"];
  readonly again: boolean;
  /** How many rounds each scene lasts. */
  readonly stretch: number;
  readonly groupWait: string;
  /** Whether mails wait for some minutes; only a patient run knows what is held back by then. */
  readonly muted: boolean;
}

/** What came of a run. */
export interface Ran {
  readonly arrivals: readonly Arrival[];
  readonly stored: Stored;
  /** Daemons that were killed. */
  readonly kills: number;
  /** How often the last daemon took each step. */
  readonly steps: Readonly<Record<string, number>>;
}

/** A daemon that hangs has lost something that it waits for: nobody is sent anything for so long. */
const SILENCE_LIMIT_MS = 180_000;

/** Runs the story with the daemon at `main`; it is started again after each death. */
export async function runStory(main: string, plan: RunPlan): Promise<Ran> {
  const folder = await mkdtemp(join(tmpdir(), "tickwatch-crash-"));
  const closing: (() => unknown)[] = [];
  const owner: Owner = { onTestFinished: (close) => void closing.push(close as () => unknown) };
  const service = await startScriptedService(owner);
  const receivers = await startReceivers();
  try {
    service.answer(({ endpoint, query }) => {
      if (endpoint !== "pool") return null;
      const date = Number(readFileSync(join(folder, CLOCK_FILE), "utf8"));
      return query.getAll("pool_ids").map((id) => poolAt(date, plan.stretch, id));
    });
    const { hook, slack, mailPort } = receivers;
    const addresses = { service: service.baseUrl, hook, slack, mailPort };
    await writeConfig(folder, addresses, plan.groupWait, plan.muted);
    const fastSince = Date.now();
    let kills = 0;
    for (const ending of [...plan.endings, null]) {
      const death = ending === null || "afterMs" in ending ? null : ending;
      const { pace, again, stretch } = plan;
      const rounds = roundsOf(stretch);
      const life: Life = { folder, start: START, rounds, death, pace, again, fastSince };
      const limit = ending !== null && "afterMs" in ending ? ending.afterMs : null;
      if (!(await live(main, life, receivers, limit))) break;
      kills += 1;
    }
    const steps = JSON.parse(await readFile(join(folder, STEPS_FILE), "utf8")) as Ran["steps"];
    const stored = await readStored(join(folder, "tickwatch.db"));
    return { arrivals: receivers.arrivals, stored, kills, steps };
  } finally {
    await receivers.close();
    for (const close of closing) await close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** One process; true if it was killed, false if it came to the end. Throws if it fails or hangs. */
async function live(
  main: string,
  life: Life,
  receivers: Receivers,
  afterMs: number | null,
): Promise<boolean> {
  const child = spawn(process.execPath, [main, JSON.stringify(life)], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, KEY: "tw_0123456789abcdef" },
  });
  const log = createWriteStream(join(life.folder, "log"), { flags: "a" });
  child.stderr.pipe(log);
  const { death } = life;
  let came = 0;
  let hung = false;
  let patience: NodeJS.Timeout | undefined;
  const goesOn = (): void => {
    clearTimeout(patience);
    patience = setTimeout(() => {
      hung = true;
      child.kill("SIGKILL");
    }, SILENCE_LIMIT_MS);
  };
  goesOn();
  receivers.onArrival = (channel) => {
    goesOn();
    if (death?.moment !== "during" || death.step !== `send ${channel}`) return;
    came += 1;
    if (came === death.count) child.kill("SIGKILL");
  };
  const timer = afterMs === null ? undefined : setTimeout(() => child.kill("SIGKILL"), afterMs);
  await once(child, "close");
  clearTimeout(patience);
  clearTimeout(timer);
  receivers.onArrival = () => {};
  const killed = child.signalCode === "SIGKILL";
  if (hung || (!killed && child.exitCode !== 0)) {
    const printed = await readFile(join(life.folder, "log"), "utf8");
    throw new Error(`${hung ? "it hangs" : `it ended with ${child.exitCode}`}:\n${printed}`);
  }
  return killed;
}
