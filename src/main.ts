#!/usr/bin/env node
import { runCli } from "./cli/program.ts";

// The first signal asks for an orderly end, the second takes no for an answer.
const stop = new AbortController();
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(EXIT_CODES[signal]);
    stop.abort();
  });
}

// A reader that went away (`tickwatch check | head`) is no reason for a stack trace.
const unread = new AbortController();
process.stdout.on("error", () => unread.abort());
process.stderr.on("error", () => {});

const colourful = (process.env.NO_COLOR ?? "") === "";
const code = await runCli(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  colours: process.stdout.isTTY && colourful,
  errTerminal: process.stderr.isTTY,
  errColours: process.stderr.isTTY && colourful,
  stop: stop.signal,
  unread: unread.signal,
});
await new Promise<void>((resolve) => {
  process.stdout.write("", () => resolve());
});
process.exit(code);
