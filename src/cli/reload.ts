import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { countOf } from "../base/text.ts";
import { type ConfigurationState, stateFromText } from "../ops/reload/configuration-state.ts";
import { forcedRequest } from "../ops/reload/request.ts";
import { EXIT, type Io } from "./io.ts";
import { iso, print } from "./report.ts";
import { readSetup } from "./setup.ts";
import { withOperatorDb } from "./with-operator-db.ts";

export interface ReloadOptions {
  readonly config: string;
  readonly json?: boolean;
  /** Files that the cluster had before are to be in force again. */
  readonly force?: boolean;
}

/** A daemon looks for requests every two seconds, and large rules files take some more. */
const PATIENCE_MS = 30_000;
const BETWEEN_LOOKS_MS = 100;
/** The first start of a daemon may still be under way: it takes requests a moment after it shows its page. */
const START_MS = 3_000;

/** `tickwatch reload`: the exit code. Throws ConfigError and StoreError. */
export async function reload(options: ReloadOptions, io: Io): Promise<number> {
  const stop = io.stop();
  const member = options.force === true ? await memberOf(options.config, io) : null;
  if (options.force === true && member === null) {
    io.err(
      "tickwatch: --force is for daemons of a cluster: without one what is loaded is in force\n",
    );
    return EXIT.usage;
  }
  return await withOperatorDb(options.config, io, "write", async (db) => {
    const id = member === null ? randomUUID() : forcedRequest(member, randomUUID());
    const started = performance.now() + START_MS;
    let isAsked = await db.reload.ask(id);
    while (!isAsked && performance.now() < started && !stop.aborted) {
      await delay(BETWEEN_LOOKS_MS);
      isAsked = await db.reload.ask(id);
    }
    if (!isAsked) {
      io.err("tickwatch: the daemon that used this database last cannot reload: restart it once\n");
      return EXIT.unreachable;
    }
    const deadline = performance.now() + PATIENCE_MS;
    while (performance.now() < deadline && !stop.aborted) {
      await delay(BETWEEN_LOOKS_MS);
      const state = stateFromText(await db.reload.state());
      if (state?.answered === id) return answer(state, options, io);
    }
    await db.reload.takeBack(id);
    if (stop.aborted) return EXIT.fine;
    io.err("tickwatch: no daemon has answered for 30 s; is it running?\n");
    return EXIT.unreachable;
  });
}

/** What the daemon of this machine is called; null: it is the only one. */
async function memberOf(config: string, io: Io): Promise<string | null> {
  const { setup } = await readSetup(config, io);
  return setup.cluster?.name ?? null;
}

function answer(state: ConfigurationState, options: ReloadOptions, io: Io): number {
  const { failure, needsRestart, waitsFor, isOlder, changes, loadedAt } = state;
  if (failure !== null && options.json !== true) {
    io.err(`${failure.problems.join("\n")}\n`);
    const more = failure.count - failure.problems.length;
    if (more > 0) io.err(`… and ${more} more; \`tickwatch check\` shows all\n`);
    io.err(
      `${countOf(failure.count, "problem")} found. The configuration from before stays in force.\n`,
    );
    return EXIT.usage;
  }
  print(options, io, {
    value: () => ({
      reloaded: failure === null,
      loaded_at: iso(loadedAt),
      problems: failure?.problems ?? [],
      needs_restart: needsRestart,
      waits_for: waitsFor,
      older_files: isOlder,
      ...changes,
    }),
    page: () => page(state),
  });
  return failure === null ? EXIT.fine : EXIT.usage;
}

function page({ changes, needsRestart, waitsFor, isOlder }: ConfigurationState): string {
  if (isOlder) {
    return (
      "nothing was loaded: the files of all daemons are unedited and older than the cluster's configuration\n" +
      "  `tickwatch reload --force` loads those of this machine"
    );
  }
  const lines = (["rules", "channels"] as const).flatMap((what) =>
    (["added", "changed", "removed"] as const).flatMap((how) => {
      const names = changes[what][how];
      return names.length === 0 ? [] : [`  ${what} ${how}: ${names.join(", ")}`];
    }),
  );
  return [
    waitsFor.length === 0
      ? "reloaded"
      : `loaded, and not in force yet: it waits for ${waitsFor.join(", ")}; \`tickwatch status --cluster\` says why`,
    ...lines,
    ...needsRestart.map((key) => `  ${key} has changed: that needs a restart`),
  ].join("\n");
}
