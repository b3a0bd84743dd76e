import { type App, startApp } from "../app.ts";
import { adjustLogger, createLogger } from "../base/log.ts";
import { storeName } from "../base/postgres-url.ts";
import { formatProblem } from "../config/files/text-file.ts";
import type { Setup } from "../model/index.ts";
import { LoadedFiles } from "../ops/reload/files.ts";
import { EXIT, type Io, untilStopped, writer } from "./io.ts";
import { OwnService } from "./own-service.ts";
import { reportError, reportWarnings, subjectCount } from "./report.ts";
import { readSetup, secretsOf } from "./setup.ts";

/** `tickwatch run`: the exit code, once the daemon has stopped. Throws ConfigError and StoreError. */
export async function run(config: string, io: Io): Promise<number> {
  let app: App | null = null;
  let hungUp = false;
  // A terminal that is closed sends it as well, to all that it started: reading the files again does no harm.
  io.onHangup(() => {
    hungUp = true;
    void app?.reload();
  });
  const files = new LoadedFiles();
  const { setup: first, warnings } = await readSetup(config, io, files);
  reportWarnings(warnings, io);
  const log = createLogger({
    level: first.logLevel,
    stream: { write: writer(io.err) },
    pretty: io.errTerminal,
    colours: io.errColours,
    secrets: secretsOf(first),
  });
  const own = new OwnService((level, message, fields) => log[level](fields, message));
  const setup = await own.serve(first);
  const failure = new AbortController();
  let fatal: unknown = null;
  const stop = io.stop();
  const load = async (into: LoadedFiles): Promise<Setup> => {
    const read = await readSetup(config, io, into);
    // Before anything can be said of it.
    adjustLogger(log, log.level, secretsOf(read.setup));
    for (const warning of read.warnings.slice(0, MOST_WARNINGS)) {
      log.warn(
        { warning: formatProblem({ ...warning, source: "" }) },
        "a warning of the configuration",
      );
    }
    return await own.serve(read.setup);
  };
  app = await startApp({
    setup,
    log,
    print: (text) => printOrFail(text, io),
    colours: io.colours,
    stop,
    reload: { load, files },
    reading: () => own.progress(),
    onFatal: (error) => {
      fatal ??= error;
      failure.abort();
    },
  });
  if (hungUp) void app.reload();
  const subjects = subjectCount(setup);
  log.info({ rules: setup.rules.length, subjects, store: storeName(setup.store) }, "watching");
  await untilStopped(AbortSignal.any([stop, failure.signal]));
  log.info("stopping");
  const lost = await app.stop();
  await own.close();
  if (fatal !== null || lost !== null) return reportError(fatal ?? lost, io, false);
  log.info("stopped");
  return EXIT.fine;
}

/** A list for a person to read. */
const MOST_WARNINGS = 5;

/** What nobody can read was not delivered: the console channel must know. */
function printOrFail(text: string, io: Io): void {
  if (io.unread.aborted) throw new Error("nobody reads the output");
  io.out(text);
}
