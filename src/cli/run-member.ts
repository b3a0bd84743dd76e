import { setTimeout as pause } from "node:timers/promises";
import { clockOf } from "../base/clock.ts";
import { SECOND } from "../base/duration.ts";
import { configurationText } from "../cluster/configuration-text.ts";
import { Member } from "../cluster/member.ts";
import { ConfigError, formatProblem } from "../config/files/text-file.ts";
import type { ClusterConfig } from "../model/index.ts";
import { StoreError } from "../store/store.ts";
import type { Daemon, ReadFiles } from "./daemon.ts";
import { EXIT, type Io, packageVersion } from "./io.ts";
import { reportError } from "./report.ts";

/** So long a daemon that could not work lets others try. */
const REST_MS = 2 * SECOND;

/**
 * Runs a daemon that is one of several, which share the work. Whatever keeps it from its part for a time (another one
 * has taken over, the database is gone) makes it join anew. Resolves to the exit code once it is stopped. Throws
 * StoreError where it cannot join.
 */
export async function runMember(
  daemon: Daemon,
  first: ReadFiles,
  cluster: ClusterConfig,
  io: Io,
  stop: AbortSignal,
): Promise<number> {
  const { log } = first;
  const { store: place } = first.setup;
  if (typeof place === "string") throw new Error("a cluster on a file");
  let decides = configurationText(first.setup);
  const member = await Member.join({
    place,
    cluster,
    version: packageVersion(),
    config: () => decides,
    log,
  });
  let read = first;
  try {
    for (;;) {
      log.info({ member: cluster.name }, "this daemon is one of the cluster");
      const error = await watch(daemon, read, member, stop, (hash) => {
        decides = hash;
      });
      if (stop.aborted) {
        if (error !== null) return reportError(error, io, false);
        break;
      }
      if (!(error instanceof StoreError) || !WAITS.has(error.reason)) {
        return reportError(error, io, false);
      }
      log.error({ err: error }, "this daemon watches nothing until it has joined the others anew");
      do await pause(REST_MS, undefined, { signal: stop }).catch(() => {});
      while (!stop.aborted && !(await member.rejoin()));
      if (stop.aborted) break;
      read = await readAgain(daemon, read);
      decides = configurationText(read.setup);
    }
  } finally {
    await member.leave();
  }
  log.info("stopped");
  return EXIT.fine;
}

/** What another daemon may do better, or a later time. */
const WAITS: ReadonlySet<StoreError["reason"]> = new Set(["fenced", "unwritable", "leased"]);

/** Null: it was told to stop, and all is written. */
async function watch(
  daemon: Daemon,
  read: ReadFiles,
  member: Member,
  stop: AbortSignal,
  decides: (hash: string) => void,
): Promise<unknown> {
  const buried = new AbortController();
  member.onBuried(() => buried.abort());
  try {
    const { fatal, lost } = await daemon.watch(read, AbortSignal.any([stop, buried.signal]), {
      member: { member, decides },
      clock: clockOf(() => member.now()),
    });
    if (buried.signal.aborted) return member.whyBuried;
    return fatal ?? lost;
  } catch (error) {
    return error;
  }
}

/** Files that were edited meanwhile count, unless they have a mistake. */
async function readAgain(daemon: Daemon, before: ReadFiles): Promise<ReadFiles> {
  try {
    return await daemon.read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [first] = error.problems;
    before.log.error(
      { first: first === undefined ? null : formatProblem({ ...first, source: "" }) },
      "the edited configuration has mistakes: the one from before is in force",
    );
    return before;
  }
}
