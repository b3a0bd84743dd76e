import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { PassThrough, type Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { TestContext } from "vitest";
import { runCli } from "../../src/cli/program.ts";

/** The built program; `TICKWATCH_MAIN` names another build. */
export const MAIN =
  process.env.TICKWATCH_MAIN ?? fileURLToPath(new URL("../../dist/main.js", import.meta.url));

/** How a process ended. */
export interface End {
  /** Null: a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** A command that runs, in a process of its own or in this one. */
export interface Running {
  readonly ended: Promise<End>;
  /** All that was printed so far. */
  out(): string;
  err(): string;
  /** The log so far: the lines of standard error that are JSON. */
  log(): LogLine[];
  /** Resolves with the first line, past or to come, that fits; rejects if the process ends before. */
  outLine(fits: (line: string) => boolean): Promise<string>;
  logLine(fits: (line: LogLine) => boolean): Promise<LogLine>;
  kill(signal: "SIGTERM" | "SIGINT" | "SIGHUP"): void;
}

export interface Program extends Running {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Reads its standard output no more, like `head`. */
  leave(): void;
}

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** The test that a part belongs to and ends with; each of them may run beside others. */
export type Owner = Pick<TestContext, "onTestFinished">;

export interface Environment {
  readonly env?: Readonly<Record<string, string>>;
  /** A program that is to start ours; the arguments are for it. */
  readonly file?: string;
}

/** Starts the built program as a process of its own; the end of the test ends it at the latest. */
export function startProgram(
  owner: Owner,
  args: readonly string[],
  { env, file }: Environment = {},
): Program {
  const [command, own] = file === undefined ? [process.execPath, [MAIN]] : [file, []];
  const child = spawn(command, [...own, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    // Nothing of the machine's own settings but where programs and temporary files are.
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...env },
  });
  const out = new Lines(child.stdout);
  const err = new Lines(child.stderr);
  const ended = endOf(child, out, err);
  owner.onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    ...printedBy(out, err, ended),
    pid: child.pid ?? 0,
    kill: (signal) => void child.kill(signal),
    leave: () => void child.stdout.destroy(),
  };
}

/**
 * Runs a command line in this process, which costs a tenth; the end of the test ends it at the latest. For whatever
 * needs no process to be seen.
 */
export function startHere(
  owner: Owner,
  args: readonly string[],
  { env = {} }: Pick<Environment, "env"> = {},
): Running {
  const stop = new AbortController();
  const hangups: (() => void)[] = [];
  const [printed, logged] = [new PassThrough(), new PassThrough()];
  const out = new Lines(printed);
  const err = new Lines(logged);
  const run = async (): Promise<End> => {
    const code = await runCli(args, {
      out: (text) => void printed.write(text),
      err: (text) => void logged.write(text),
      env,
      colours: false,
      errTerminal: false,
      errColours: false,
      stop: () => stop.signal,
      onHangup: (work) => void hangups.push(work),
      unread: new AbortController().signal,
    });
    const read = [once(printed, "close"), once(logged, "close")];
    printed.end();
    logged.end();
    await Promise.all(read);
    return { code, signal: null, out: out.text(), err: err.text() };
  };
  const ended = run();
  owner.onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  return {
    ...printedBy(out, err, ended),
    kill: (signal) => {
      if (signal !== "SIGHUP") stop.abort();
      else for (const work of hangups) work();
    },
  };
}

function printedBy(out: Lines, err: Lines, ended: Promise<End>): Omit<Running, "kill"> {
  void ended.then(() => {
    out.close();
    err.close();
  });
  return {
    ended,
    out: () => out.text(),
    err: () => err.text(),
    log: () => err.all.map(readLog).filter((line) => line !== null),
    outLine: (fits) => out.first((line) => (fits(line) ? line : null)),
    logLine: (fits) =>
      err.first((text) => {
        const line = readLog(text);
        return line !== null && fits(line) ? line : null;
      }),
  };
}

/** Runs the built program to its end. */
export async function runProgram(
  owner: Owner,
  args: readonly string[],
  more?: Environment,
): Promise<End> {
  return await startProgram(owner, args, more).ended;
}

async function endOf(child: ChildProcess, out: Lines, err: Lines): Promise<End> {
  await once(child, "close");
  return { code: child.exitCode, signal: child.signalCode, out: out.text(), err: err.text() };
}

function readLog(text: string): LogLine | null {
  return text.startsWith("{") ? (JSON.parse(text) as LogLine) : null;
}

/** The lines of a stream as they come. */
class Lines {
  readonly all: string[] = [];
  readonly #waiting = new Set<{ look(line: string): void; give(reason: Error): void }>();
  #closed = false;

  constructor(stream: Readable) {
    createInterface({ input: stream, crlfDelay: Infinity }).on("line", (line) => {
      this.all.push(line);
      for (const one of this.#waiting) one.look(line);
    });
  }

  text(): string {
    return this.all.map((line) => `${line}\n`).join("");
  }

  close(): void {
    this.#closed = true;
    for (const one of this.#waiting) one.give(this.#gone());
  }

  async first<Found>(find: (line: string) => Found | null): Promise<Found> {
    for (const line of this.all) {
      const found = find(line);
      if (found !== null) return found;
    }
    if (this.#closed) throw this.#gone();
    return await new Promise<Found>((resolve, reject) => {
      const one = {
        look: (line: string): void => {
          const found = find(line);
          if (found === null) return;
          this.#waiting.delete(one);
          resolve(found);
        },
        give: reject,
      };
      this.#waiting.add(one);
    });
  }

  #gone(): Error {
    return new Error(`the process ended before such a line came; it printed:\n${this.text()}`);
  }
}
