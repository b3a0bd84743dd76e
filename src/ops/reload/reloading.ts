import { toWholeSecond } from "../../base/clock.ts";
import { SECOND } from "../../base/duration.ts";
import { RELOAD_MARK, type Setup } from "../../model/index.ts";
import type { ConfigurationState } from "./configuration-state.ts";
import { PostponedError } from "./current-rounds.ts";
import { areSame, type LoadedFiles, type Stamps } from "./files.ts";
import { LoadReport, type LoadReportParts } from "./load-report.ts";
import { forcedMember } from "./request.ts";
import type { Differences } from "./setup-parts.ts";

/** A configuration as it was read, and the files that it was read from. */
export interface Loaded {
  readonly setup: Setup;
  readonly files: LoadedFiles;
}

export interface ReloadingParts extends LoadReportParts {
  /** Reads the configuration; `files` notes what was read. Throws ConfigError. */
  readonly load: (files: LoadedFiles) => Promise<Setup>;
  /** Where a loading notes its files. */
  readonly newFiles: () => LoadedFiles;
  /** What the daemon was started with. */
  readonly first: Loaded;
  /**
   * Goes over to another configuration, which these files say; see App.follow. `isForced`: also where the cluster
   * had it before.
   */
  readonly follow: (next: Setup, files: LoadedFiles, isForced: boolean) => Promise<Differences>;
}

export interface Reloading {
  /** Reads the files and goes over to what they say; resolves once that is done, or was refused. */
  now(): Promise<void>;
  /** How it stands. */
  readonly state: ConfigurationState;
  /** Resolves when nothing is being looked at or loaded. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** Files are looked at so often; they have settled when two looks in a row saw the same. */
const EVERY_MS = 2 * SECOND;
/** Of many files each one is worth so much: a look takes some microseconds for each, on any disk. */
const EVERY_MS_A_FILE = 5;

/**
 * Keeps a daemon at what its files say: loads them when they have changed and settled, or when somebody asks,
 * and says what came of it in the log, in the store and, of a mistake that stays, to people.
 */
export async function startReloading(parts: ReloadingParts): Promise<Reloading> {
  const reloading = new FileReloading(parts);
  await reloading.start();
  return reloading;
}

class FileReloading implements Reloading {
  readonly #report: LoadReport;
  #setup: Setup;
  #files: LoadedFiles;
  /** How the files were that were loaded last, or refused. */
  #base: Stamps = new Map();
  /** Another look at them, which the next one must repeat. */
  #unsettled: Stamps | null = null;
  #lastAsked: string | null = null;
  /** It was no time for it; it is tried again. */
  #postponed = false;
  #working: Promise<void> = Promise.resolve();
  #cancelLook = (): void => {};
  #stopped = false;

  constructor(private readonly parts: ReloadingParts) {
    this.#setup = parts.first.setup;
    this.#files = parts.first.files;
    this.#report = new LoadReport(parts, this.#setup, (work) => this.#inTurn(work));
  }

  get state(): ConfigurationState {
    return this.#report.state;
  }

  async start(): Promise<void> {
    this.#base = stampsAfter(this.#files, new Map(), await this.#files.look());
    await this.#report.start(this.#setup);
    this.#lastAsked = this.state.answered;
    this.#arm(EVERY_MS);
  }

  now(): Promise<void> {
    return this.#inTurn(() => this.#reload(null));
  }

  async idle(): Promise<void> {
    await this.#working;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelLook();
    this.#report.stop();
    await this.#working;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#working.then(async () => {
      if (!this.#stopped) await work();
    });
    this.#working = turn.catch((error: unknown) => {
      this.parts.log.error({ err: error }, "cannot look at the configuration files");
    });
    return this.#working;
  }

  #arm(ms: number): void {
    if (this.#stopped) return;
    const { clock } = this.parts;
    this.#cancelLook = clock.after(toWholeSecond(clock, ms), () => {
      void this.#inTurn(() => this.#look());
    });
  }

  async #look(): Promise<void> {
    try {
      const asked = await this.parts.store.mark(RELOAD_MARK).catch(() => null);
      if (asked !== null && asked !== "" && asked !== this.#lastAsked) {
        this.#lastAsked = asked;
        const member = forcedMember(asked);
        if (member === null || member === this.#setup.cluster?.name) await this.#reload(asked);
      } else if (this.#postponed) await this.#reload(null);
      else if (this.#setup.reload === "auto" && (await this.#haveSettled()))
        await this.#reload(null);
    } finally {
      this.#arm(Math.max(EVERY_MS, this.#base.size * EVERY_MS_A_FILE));
    }
  }

  /** Whether the files are others than those that were loaded, and have been so for one look at least. */
  async #haveSettled(): Promise<boolean> {
    const now = await this.#files.look();
    if (areSame(now, this.#base)) {
      this.#unsettled = null;
      return false;
    }
    const before = this.#unsettled;
    this.#unsettled = now;
    return before !== null && areSame(before, now);
  }

  /** `asked`: the request that is answered with it. */
  async #reload(asked: string | null): Promise<void> {
    const { load, newFiles, log } = this.parts;
    const before = await this.#files.look();
    const files = newFiles();
    let next: Setup | null = null;
    let failure: unknown = null;
    try {
      next = await load(files);
      this.#files = files;
    } catch (error) {
      failure = error;
      this.#files = files.with(this.#files);
    }
    this.#base = stampsAfter(files, before, await this.#files.look());
    this.#unsettled = null;
    if (this.#stopped) return;
    if (next !== null) {
      try {
        const what = await this.parts.follow(
          next,
          files,
          asked !== null && forcedMember(asked) !== null,
        );
        this.#setup = next;
        this.#postponed = false;
        await this.#report.loaded(next, what, asked);
        return;
      } catch (error) {
        if (error instanceof PostponedError) {
          if (!this.#postponed)
            log.warn({ why: error.message }, "the configuration will be loaded later");
          this.#postponed = true;
          // Whoever asked hears of it once it is done.
          if (asked !== null) this.#lastAsked = null;
          return;
        }
        failure = error;
      }
    }
    this.#postponed = false;
    await this.#report.refused(failure, asked);
  }
}

/**
 * By path: how the files were that a loading has read (`files`), or before it (`before`); of others how they are
 * `now`. What was changed meanwhile is another one in the next look.
 */
function stampsAfter(files: LoadedFiles, before: Stamps, now: Stamps): Stamps {
  return new Map(
    [...now].map(([path, stamp]) => [path, files.stamps.get(path) ?? before.get(path) ?? stamp]),
  );
}
