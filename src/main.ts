#!/usr/bin/env node
import { setTimeout as delay } from "node:timers/promises";
import { runCli } from "./cli/program.ts";

// A reader that went away (`tickwatch check | head`) is no reason for a stack trace.
const unread = new AbortController();
/** What else keeps the output from being written, such as a full disk. */
let unwritten: string | null = null;
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  if (code !== "EPIPE") unwritten = code ?? "unknown";
  unread.abort();
});
process.stderr.on("error", () => {});

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof EXIT_CODES;

const stop = new AbortController();
/** A command brings things to an end when it is asked to. */
let taken = false;
let asked: StopSignal | null = null;

/** See Io.stop. */
function takeSignals(): AbortSignal {
  if (!taken) handleSignals();
  taken = true;
  return stop.signal;
}

function handleSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.removeAllListeners(signal).on(signal, () => {
      const again = asked !== null;
      asked ??= signal;
      if (again || !taken) leave(EXIT_CODES[signal]);
      stop.abort();
    });
  }
}

// While there is no handler the kernel ends the process, even one that is stuck in a read. Process 1 of a
// container it spares: there our handler must do it.
if (process.pid === 1) handleSignals();

/**
 * Ends the process. It waits for each thread in exit(), even one that is stuck in a read or in the look-up
 * of a name: whoever has asked for an end must not have to wait for that.
 */
function leave(status: number): never {
  if (asked !== null && hasThreads()) {
    process.removeAllListeners(asked);
    const failed = status !== 0 && status !== EXIT_CODES[asked];
    process.kill(process.pid, failed ? "SIGKILL" : asked);
  }
  process.exit(status);
}

/** Whether there is a terminal to ask at; one without a size shows nothing. */
function canAsk(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && process.stdout.columns > 0;
}

/** Their code is loaded when somebody is to be asked. */
async function promptsAtTerminal() {
  return (await import("./cli/init/prompts.ts")).terminalPrompts();
}

/** Whether a thread reads a file or looks up a name. */
function hasThreads(): boolean {
  return process.getActiveResourcesInfo().some((name) => /^(FSReq|GetAddrInfo)/.test(name));
}

const colourful = (process.env.NO_COLOR ?? "") === "";
const code = await runCli(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  colours: process.stdout.isTTY && colourful,
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  errTerminal: process.stderr.isTTY,
  errColours: process.stderr.isTTY && colourful,
  stop: takeSignals,
  onHangup: (listener) => void process.on("SIGHUP", listener),
  ...(canAsk() ? { prompts: promptsAtTerminal } : {}),
  unread: unread.signal,
});
await new Promise<void>((resolve) => {
  process.stdout.write("", () => resolve());
});
// What is on its way, such as the last write of a file, is over in a moment; what is stuck is not.
for (const until = performance.now() + 500; hasThreads() && performance.now() < until; )
  await delay(5);
// A daemon that was asked to end has done its work, whatever became of its log.
if (unwritten !== null && asked === null) {
  process.stderr.write(`tickwatch: the output cannot be written (${String(unwritten)})\n`);
  leave(code === 0 ? 1 : code);
}
leave(code);
