import { writeFile } from "node:fs/promises";
import { printedNotice } from "../channels/console.ts";
import { loadDefaults } from "../config/settings/load-defaults.ts";
import { WATCHES } from "../kinds/index.ts";
import { type FileResult, runTests } from "../replay/run-tests.ts";
import { createMemoryStore } from "../store/memory.ts";
import { untilChanged } from "./changes.ts";
import { EXIT, type Io } from "./io.ts";
import { testReport } from "./test-json.ts";
import { junit } from "./test-junit.ts";
import { countTests, problemPage, testPage } from "./test-page.ts";

export interface TestOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly junit?: string;
  readonly watch?: boolean;
  /** Print each notice whole. */
  readonly show?: boolean;
}

/** `tickwatch test`: the exit code of the last run. Throws ConfigError for wrong defaults. */
export async function test(
  files: readonly string[],
  options: TestOptions,
  io: Io,
): Promise<number> {
  if (options.watch !== true) return (await runOnce(files, options, io)).code;
  const stop = io.stop();
  const ended = aborted(stop);
  for (let code: number = EXIT.fine; ; ) {
    // A file that is read for ever is no reason to stay.
    const ran = await Promise.race([runOnce(files, options, io), ended]);
    if (ran === null) return code;
    code = ran.code;
    if (io.unread.aborted) return code;
    if (options.json !== true) io.err("waiting for a change; Ctrl-C ends\n");
    const changed = await untilChanged(
      [...ran.results.flatMap((one) => one.files), ...[options.config ?? []].flat()],
      stop,
    );
    if (!changed) return code;
  }
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener("abort", () => resolve(null), { once: true });
  });
}

async function runOnce(
  files: readonly string[],
  options: TestOptions,
  io: Io,
): Promise<{ code: number; results: readonly FileResult[] }> {
  const results: FileResult[] = [];
  // Read anew with every run: it may be what was changed.
  const defaults =
    options.config === undefined ? undefined : await loadDefaults(options.config, io.env);
  for (const file of files) {
    results.push(
      await runTests(file, { kinds: WATCHES, createStore: createMemoryStore, defaults }),
    );
  }
  if (options.json === true) io.out(`${JSON.stringify(testReport(results))}\n`);
  else {
    const problems = problemPage(results);
    if (problems !== "") io.err(problems);
    io.out(testPage(results, io.colours, options.show === true ? printedNotice : null));
  }
  if (options.junit !== undefined) await write(options.junit, junit(results));
  const { failed, broken } = countTests(results);
  return { code: broken > 0 ? EXIT.usage : failed > 0 ? EXIT.found : EXIT.fine, results };
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new Error(`the JUnit file cannot be written (${reason}); see --junit`, { cause: error });
  }
}
