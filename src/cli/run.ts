import { startApp } from "../app.ts";
import { createLogger, type Log } from "../base/log.ts";
import { EXIT, type Io, untilStopped, writer } from "./io.ts";
import { reportError, reportWarnings, subjectCount } from "./report.ts";
import { readSetup, secretsOf } from "./setup.ts";

/** `tickwatch run`: the exit code, once the daemon has stopped. Throws ConfigError and StoreError. */
export async function run(config: string, io: Io): Promise<number> {
  let log: Log | null = null;
  // A terminal that is closed sends it to all that it started.
  io.onHangup(() => log?.info("SIGHUP is ignored: restart to apply what was edited"));
  const { setup, warnings } = await readSetup(config, io);
  reportWarnings(warnings, io);
  log = createLogger({
    level: setup.logLevel,
    stream: { write: writer(io.err) },
    pretty: io.errTerminal,
    colours: io.errColours,
    secrets: secretsOf(setup),
  });
  const failure = new AbortController();
  let fatal: unknown = null;
  const stop = io.stop();
  const app = await startApp({
    setup,
    log,
    print: (text) => printOrFail(text, io),
    colours: io.colours,
    stop,
    onFatal: (error) => {
      fatal ??= error;
      failure.abort();
    },
  });
  const subjects = subjectCount(setup);
  log.info({ rules: setup.rules.length, subjects, store: setup.store }, "watching");
  await untilStopped(AbortSignal.any([stop, failure.signal]));
  log.info("stopping");
  const lost = await app.stop();
  if (fatal !== null || lost !== null) return reportError(fatal ?? lost, io, false);
  log.info("stopped");
  return EXIT.fine;
}

/** What nobody can read was not delivered: the console channel must know. */
function printOrFail(text: string, io: Io): void {
  if (io.unread.aborted) throw new Error("nobody reads the output");
  io.out(text);
}
