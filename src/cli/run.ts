import { Daemon } from "./daemon.ts";
import { EXIT, type Io } from "./io.ts";
import { reportError } from "./report.ts";

/** `tickwatch run`: the exit code, once the daemon has stopped. Throws ConfigError and StoreError. */
export async function run(config: string, io: Io): Promise<number> {
  const daemon = new Daemon(config, io);
  const first = await daemon.read();
  const stop = io.stop();
  const { setup, log } = first;
  if (setup.cluster !== null) {
    const { runMember } = await import("./run-member.ts");
    return await runMember(daemon, first, setup.cluster, io, stop);
  }
  const { fatal, lost } = await daemon.watch(first, stop);
  if (fatal !== null || lost !== null) return reportError(fatal ?? lost, io, false);
  log.info("stopped");
  return EXIT.fine;
}
