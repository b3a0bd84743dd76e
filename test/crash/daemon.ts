/**
 * The daemon as it is, with its own store and channels, on a clock that goes from round to round; it
 * ends itself with SIGKILL at the step that it is told. Its only argument is a `Life` as JSON.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startApp } from "../../src/app.ts";
import { acceleratedClock } from "../../src/base/clock.ts";
import { MINUTE } from "../../src/base/duration.ts";
import { createLogger } from "../../src/base/log.ts";
import { CHANNELS } from "../../src/channels/index.ts";
import { readSetup, secretsOf } from "../../src/cli/setup.ts";
import { createManualClock } from "../../src/replay/manual-clock.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { sqliteFile } from "../support/sqlite-file.ts";
import { CLOCK_FILE, type Life, OUTBOX_SPEED, STEPS_FILE } from "./life.ts";
import { mortalKinds, mortalStore, Reaper } from "./mortal.ts";

const life = JSON.parse(process.argv[2] ?? "") as Life;
const { folder, start, rounds, death, pace, again, fastSince } = life;
const clockFile = join(folder, CLOCK_FILE);
const { setup } = await readSetup(join(folder, "config.yaml"), { env: process.env });
const reaper = new Reaper(death);

const died = lastRound();
const last = start + (rounds - 1) * MINUTE;
const first = died === null ? start : again ? died : Math.min(died + MINUTE, last);
const clock = createManualClock(first);
writeFileSync(clockFile, String(first));
const opened = await reaper.step("open", () => openSqliteStore(sqliteFile(setup.store)));
const elapsed = Date.now() - fastSince;
const ended = new Map<number, () => void>();
const app = await startApp({
  setup,
  log: createLogger({ level: setup.logLevel, secrets: secretsOf(setup) }),
  clock,
  outboxClock: acceleratedClock(fastSince + elapsed * OUTBOX_SPEED, OUTBOX_SPEED),
  print: () => {},
  colours: false,
  store: mortalStore(opened, reaper),
  channels: mortalKinds(CHANNELS, reaper),
  selfChecks: false,
  onRound: ({ date }) => ended.get(date)?.(),
  onFatal: (error) => {
    throw error;
  },
});

// What had no round at this date is looked at at once.
await app.rounds.started();
for (let date = first + MINUTE; date <= last; date += MINUTE) {
  if (pace === "patient") await delivered();
  writeFileSync(clockFile, String(date));
  const round = new Promise<void>((resolve) => {
    ended.set(date, resolve);
  });
  await clock.set(date);
  await round;
}
await delivered();
await app.stop();
writeFileSync(join(folder, STEPS_FILE), JSON.stringify(Object.fromEntries(reaper.counts)));

/** Waits until nothing is owed, retries included, but for what a mute holds back. */
async function delivered(): Promise<void> {
  for (;;) {
    await app.delivered();
    const claims = await Promise.all(
      setup.channels.map(({ name }) => opened.claim(name, Number.MAX_SAFE_INTEGER)),
    );
    if (claims.every(({ kind }) => kind === "idle")) return;
    await delay(1);
  }
}

/** The date of the round in which the last daemon died; null: it came to none. */
function lastRound(): number | null {
  try {
    return Number(readFileSync(clockFile, "utf8"));
  } catch {
    return null;
  }
}
