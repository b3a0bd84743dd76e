import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { printedNotice } from "../channels/console.ts";
import { loadDefaults } from "../config/settings/defaults-key.ts";
import { KINDS } from "../kinds/index.ts";
import { type FileResult, runTests } from "../replay/run-tests.ts";
import { memoryStores } from "../store/sqlite/store.ts";
import { EXIT, type Io } from "./io.ts";
import { writeReport } from "./report-file.ts";
import { countTests, problemPage, testPage } from "./test-page.ts";
import { junit, testReport } from "./test-report.ts";

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
    if (options.json !== true) io.err("waiting for a change; Ctrl-C stops\n");
    const changed = await untilChanged(
      [...ran.results.flatMap((one) => one.files), ...[options.config ?? []].flat()],
      stop,
    );
    if (!changed) return code;
  }
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((settle) => {
    if (signal.aborted) settle(null);
    else signal.addEventListener("abort", () => settle(null), { once: true });
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
  const createStore = await memoryStores();
  for (const file of files) {
    results.push(await runTests(file, { kinds: KINDS, createStore, defaults }));
  }
  if (options.json === true) io.out(`${JSON.stringify(testReport(results))}\n`);
  else {
    const problems = problemPage(results);
    if (problems !== "") io.err(problems);
    io.out(testPage(results, io.colours, options.show === true ? printedNotice : null));
  }
  if (options.junit !== undefined)
    await writeReport(options.junit, junit(results), "JUnit file", "--junit");
  const { failed, broken } = countTests(results);
  return { code: broken > 0 ? EXIT.usage : failed > 0 ? EXIT.found : EXIT.fine, results };
}

/** An editor writes a file in several steps: what changes within so many milliseconds is one change. */
const DEBOUNCE_MS = 100;

/**
 * Waits until one of the files is written, made or replaced; false once `stop` is aborted. Folders are
 * watched, since many editors put a new file in the place of the old one.
 */
async function untilChanged(files: readonly string[], stop: AbortSignal): Promise<boolean> {
  if (stop.aborted) return false;
  const byFolder = new Map<string, Set<string>>();
  for (const file of files) {
    const folder = dirname(resolve(file));
    byFolder.set(folder, (byFolder.get(folder) ?? new Set()).add(basename(file)));
  }
  const watchers: FSWatcher[] = [];
  try {
    return await new Promise<boolean>((done) => {
      let timer: NodeJS.Timeout | undefined;
      const onChange = (): void => {
        clearTimeout(timer);
        timer = setTimeout(done, DEBOUNCE_MS, true);
      };
      stop.addEventListener("abort", () => done(false), { once: true });
      for (const [folder, names] of byFolder) {
        const watcher = tryWatch(folder, (name) => {
          if (name === null || names.has(name)) onChange();
        });
        if (watcher !== null) watchers.push(watcher);
      }
    });
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

/** A folder that is not there cannot be watched; the others can. */
function tryWatch(folder: string, onChange: (name: string | null) => void): FSWatcher | null {
  try {
    return watch(folder, (_, name) => onChange(name)).on("error", () => {});
  } catch {
    return null;
  }
}
