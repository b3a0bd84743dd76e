import { type App, type AppOptions, startApp } from "../app.ts";
import { adjustLogger, createLogger, type Log } from "../base/log.ts";
import { storeName } from "../base/postgres-url.ts";
import type { ChainNeeds } from "../chain/needs.ts";
import { formatProblem } from "../config/files/text-file.ts";
import type { Setup } from "../model/index.ts";
import type { ClusterSeat } from "../ops/cluster-seat.ts";
import { LoadedFiles } from "../ops/reload/files.ts";
import { packFiles, unpackFiles } from "../ops/reload/stored-files.ts";
import type { StoreError } from "../store/store.ts";
import { type Io, untilStopped, writer } from "./io.ts";
import { OwnService } from "./own-service.ts";
import { reportWarnings, subjectCount } from "./report.ts";
import { readSetup, secretsOf } from "./setup.ts";

/** A configuration that was read, and the files that it was read from. */
export interface ReadFiles {
  readonly setup: Setup;
  readonly files: LoadedFiles;
  readonly log: Log;
}

/** A daemon's place among others, as far as its files do not matter. */
type MemberSeat = Pick<ClusterSeat, "member" | "decides">;

/** How a daemon came to its end. */
export interface Ended {
  /** Why it could not go on; null: it was told to stop. */
  readonly fatal: unknown;
  /** Why something that it kept in memory could not be written down; null: nothing was lost. */
  readonly lost: StoreError | null;
}

/** The daemon of one configuration file: it reads the file, and watches what it says until it is stopped. */
export class Daemon {
  readonly #config: string;
  readonly #io: Io;
  #log: Log | null = null;
  #app: App | null = null;
  #hungUp = false;
  /** What was read last, whether it is in force or not. */
  #latest: Setup | null = null;

  constructor(config: string, io: Io) {
    this.#config = config;
    this.#io = io;
    // A terminal that is closed sends it as well, to all that it started: reading the files again does no harm.
    io.onHangup(() => {
      this.#hungUp = true;
      void this.#app?.reload();
    });
  }

  get latest(): Setup | null {
    return this.#latest;
  }

  /** Reads the configuration; its warnings are shown. Throws ConfigError. */
  async read(): Promise<ReadFiles> {
    const io = this.#io;
    const files = new LoadedFiles();
    const { setup, warnings } = await readSetup(this.#config, io, files);
    if (this.#log === null) reportWarnings(warnings, io);
    this.#log ??= createLogger({
      level: setup.logLevel,
      stream: { write: writer(io.err) },
      pretty: io.errTerminal,
      colours: io.errColours,
      secrets: [],
    });
    adjustLogger(this.#log, setup.logLevel, secretsOf(setup));
    this.#latest = setup;
    return { setup, files, log: this.#log };
  }

  /** Watches until `stop` is aborted or it cannot go on. Throws StoreError where it cannot start. */
  async watch(
    { setup: first, files, log }: ReadFiles,
    stop: AbortSignal,
    more: Pick<AppOptions, "clock"> & { readonly member?: MemberSeat } = {},
  ): Promise<Ended> {
    const own = new OwnService(
      (level, message, fields) => log[level](fields, message),
      (chainId) => this.#app?.rounds.block(chainId),
    );
    const failure = new AbortController();
    let fatal: unknown = null;
    try {
      const setup = await own.serve(first);
      const { member, ...others } = more;
      const cluster =
        member === undefined
          ? {}
          : {
              cluster: {
                ...member,
                files,
                pack: (given: Setup, its: LoadedFiles) => this.pack(given, its),
                unpack: (text: string) => this.unpack(text, setup),
                serve: (given: Setup) => own.serve(given),
                paceNodes: (part: number) => own.pace(part),
                needNodes: (needs: ChainNeeds) => own.need(needs),
              },
            };
      const app = await startApp({
        ...others,
        ...cluster,
        setup,
        log,
        print: (text) => printOrFail(text, this.#io),
        colours: this.#io.colours,
        stop,
        reload: { load: (into) => this.#load(into, own, log), files },
        reading: () => own.progress(),
        onFatal: (error) => {
          fatal ??= error;
          failure.abort();
        },
      });
      this.#app = app;
      if (this.#hungUp) void app.reload();
      const subjects = subjectCount(setup);
      log.info({ rules: setup.rules.length, subjects, store: storeName(setup.store) }, "watching");
      await untilStopped(AbortSignal.any([stop, failure.signal]));
      log.info("stopping");
      const lost = await app.stop();
      return { fatal, lost };
    } finally {
      this.#app = null;
      await own.close();
    }
  }

  /** The texts of the files as one, for other daemons; null: a secret stands in them. */
  pack(setup: Setup, files: LoadedFiles): string | null {
    return packFiles(this.#config, files.takeTexts(), secretsOf(setup));
  }

  /**
   * Reads such a text in place of this machine's files: what is this machine's own stays as in `setup`. Throws
   * ConfigError.
   */
  async unpack(text: string, { store, cluster, web, logLevel }: Setup): Promise<Setup> {
    const { setup } = await readSetup(this.#config, this.#io, unpackFiles(this.#config, text));
    if (this.#log !== null) adjustLogger(this.#log, this.#log.level, secretsOf(setup));
    return { ...setup, store, cluster, web, logLevel };
  }

  async #load(into: LoadedFiles, own: OwnService, log: Log): Promise<Setup> {
    const { setup, warnings } = await readSetup(this.#config, this.#io, into);
    // Before anything can be said of it.
    adjustLogger(log, log.level, secretsOf(setup));
    for (const warning of warnings.slice(0, MOST_WARNINGS)) {
      log.warn(
        { warning: formatProblem({ ...warning, source: "" }) },
        "a warning of the configuration",
      );
    }
    this.#latest = setup;
    return await own.serve(setup);
  }
}

/** A list for a person to read. */
const MOST_WARNINGS = 5;

/** What nobody can read was not delivered: the console channel must know. */
function printOrFail(text: string, io: Io): void {
  if (io.unread.aborted) throw new Error("nobody reads the output");
  io.out(text);
}
