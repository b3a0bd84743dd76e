import { Command } from "commander";
import { startApp } from "../app.ts";
import { createLogger } from "../base/log.ts";
import { EXIT, type Io, untilStopped, writer } from "./io.ts";
import { reportError, reportWarnings, subjectCount } from "./report.ts";
import { CONFIG_OPTION, readSetup, secretsOf } from "./setup.ts";

export function runCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("run")
    .description("watch and alert until SIGINT or SIGTERM")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  tickwatch run --config /etc/tickwatch/config.yaml\n")
    .action(async ({ config }: { config: string }) => finish(await run(config, io)));
}

async function run(config: string, io: Io): Promise<number> {
  const { setup, warnings } = await readSetup(config, io);
  reportWarnings(warnings, io);
  const log = createLogger({
    level: setup.logLevel,
    stream: { write: writer(io.err) },
    pretty: io.errTerminal,
    colours: io.errColours,
    secrets: secretsOf(setup),
  });
  const failure = new AbortController();
  let fatal: unknown = null;
  const app = await startApp({
    setup,
    log,
    print: (text) => printOrFail(text, io),
    colours: io.colours,
    onFatal: (error) => {
      fatal ??= error;
      failure.abort();
    },
  });
  const subjects = subjectCount(setup);
  log.info({ rules: setup.rules.length, subjects, store: setup.store }, "watching");
  await untilStopped(AbortSignal.any([io.stop, failure.signal]));
  log.info("stopping");
  await app.stop();
  if (fatal !== null) return reportError(fatal, io, false);
  log.info("stopped");
  return EXIT.fine;
}

/** What nobody can read was not delivered: the console channel must know. */
function printOrFail(text: string, io: Io): void {
  if (io.unread.aborted) throw new Error("nobody reads the output");
  io.out(text);
}
