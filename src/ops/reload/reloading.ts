import { randomUUID } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { MINUTE, SECOND } from "../../base/duration.ts";
import type { Log } from "../../base/log.ts";
import { cleanText } from "../../base/text.ts";
import { pageOf } from "../../channels/text.ts";
import { ConfigError, formatProblem } from "../../config/files/text-file.ts";
import { CONFIGURATION_MARK, NO_CHANGE, RELOAD_MARK, type Setup } from "../../model/index.ts";
import type { CheckEvent } from "../../notices/self-event.ts";
import type { Store } from "../../store/store.ts";
import {
  type ConfigurationState,
  type LoadedChanges,
  type LoadFailure,
  NO_CHANGES,
  stateFromText,
  stateToText,
} from "./configuration-state.ts";
import { PostponedError } from "./current-rounds.ts";
import { areSame, type LoadedFiles, type Stamps } from "./files.ts";
import { fingerprintsOf } from "./fingerprints.ts";
import { forcedMember } from "./request.ts";
import type { Differences } from "./setup-parts.ts";

/** A configuration as it was read, and the files that it was read from. */
export interface Loaded {
  readonly setup: Setup;
  readonly files: LoadedFiles;
}

export interface ReloadingParts {
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
  readonly store: Store;
  /** Of real time, in which people edit files. */
  readonly clock: Clock;
  readonly log: Log;
  /** Tells people. */
  readonly found: (event: CheckEvent) => Promise<boolean>;
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
/** Whoever edits makes mistakes on the way: people are told of what stays wrong for so long. */
const PATIENCE_MS = MINUTE;
const MOST_LISTED = 5;
/** A list of names is for a person to read. */
const MOST_NAMES = 20;

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
  readonly #parts: ReloadingParts;
  #setup: Setup;
  #files: LoadedFiles;
  /** How the files were that were loaded last, or refused. */
  #base: Stamps = new Map();
  /** Another look at them, which the next one must repeat. */
  #unsettled: Stamps | null = null;
  #state: ConfigurationState;
  #lastAsked: string | null = null;
  /** It was no time for it; it is tried again. */
  #postponed = false;
  #working: Promise<void> = Promise.resolve();
  #cancelLook = (): void => {};
  #cancelTelling = (): void => {};
  #stopped = false;

  constructor(parts: ReloadingParts) {
    this.#parts = parts;
    this.#setup = parts.first.setup;
    this.#files = parts.first.files;
    this.#state = {
      loadedAt: parts.clock.now(),
      page: pageOf(parts.first.setup)?.url ?? null,
      failure: null,
      needsRestart: [],
      waitsFor: [],
      isOlder: false,
      changes: NO_CHANGES,
      answered: null,
      salt: "",
      fingerprints: {},
    };
  }

  get state(): ConfigurationState {
    return this.#state;
  }

  async start(): Promise<void> {
    const { store, found } = this.#parts;
    this.#base = stampsAfter(this.#files, new Map(), await this.#files.look());
    const before = stateFromText(await store.mark(CONFIGURATION_MARK));
    // Whoever asks from beside the daemon can write only under a name that is there.
    const asked = await store.mark(RELOAD_MARK);
    if (asked === null) await this.#mark(RELOAD_MARK, "");
    // One for all times: several would tell more of a secret.
    const salt = before === null || before.salt === "" ? randomUUID() : before.salt;
    const fingerprints = fingerprintsOf(this.#setup, salt);
    this.#state = { ...this.#state, answered: before?.answered ?? null, salt, fingerprints };
    this.#lastAsked = this.#state.answered;
    await this.#keep();
    if (before?.failure?.told === true) await found({ about: "configuration_loaded" });
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
    this.#cancelTelling();
    await this.#working;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#working.then(async () => {
      if (!this.#stopped) await work();
    });
    this.#working = turn.catch((error: unknown) => {
      this.#parts.log.error({ err: error }, "the configuration could not be looked at");
    });
    return this.#working;
  }

  #arm(ms: number): void {
    if (this.#stopped) return;
    this.#cancelLook = this.#parts.clock.after(ms, () => {
      void this.#inTurn(() => this.#look());
    });
  }

  async #look(): Promise<void> {
    try {
      const asked = await this.#parts.store.mark(RELOAD_MARK).catch(() => null);
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
    const { load, newFiles, log, clock } = this.#parts;
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
        const what = await this.#parts.follow(
          next,
          files,
          asked !== null && forcedMember(asked) !== null,
        );
        this.#setup = next;
        await this.#loaded(what, asked, clock.now());
        return;
      } catch (error) {
        if (error instanceof PostponedError) {
          if (!this.#postponed)
            log.warn({ why: error.message }, "the configuration is loaded later");
          this.#postponed = true;
          // Whoever asked hears of it once it is done.
          if (asked !== null) this.#lastAsked = null;
          return;
        }
        failure = error;
      }
    }
    this.#postponed = false;
    await this.#refused(failure, asked, clock.now());
  }

  async #loaded(what: Differences, asked: string | null, at: number): Promise<void> {
    const { log, found } = this.#parts;
    const { failure, salt } = this.#state;
    const { changes, needsRestart, waitsFor = [], isOlder = false } = what;
    this.#postponed = false;
    this.#cancelTelling();
    this.#state = {
      loadedAt: at,
      page: pageOf(this.#setup)?.url ?? null,
      failure: null,
      needsRestart,
      waitsFor,
      isOlder,
      changes: shortened(changes),
      answered: asked ?? this.#state.answered,
      salt,
      fingerprints: fingerprintsOf(this.#setup, salt),
    };
    const { rules, channels } = this.#setup;
    const facts = { rules: rules.length, channels: channels.length, ...factsOf(changes) };
    if (isOlder)
      log.warn("these files are older than the configuration of the cluster, which stays");
    else if (waitsFor.length > 0) {
      log.warn({ ...facts, waitsFor }, "the configuration was loaded, and waits to be in force");
    } else if (what.any) log.info(facts, "the configuration was reloaded");
    else log.info("the configuration was read again: nothing in it has changed");
    if (needsRestart.length > 0) {
      log.warn({ keys: needsRestart }, "a changed setting needs a restart: the old value stays");
    }
    await this.#keep();
    if (failure?.told === true) await found({ about: "configuration_loaded" });
  }

  async #refused(error: unknown, asked: string | null, at: number): Promise<void> {
    const { log } = this.#parts;
    const { count, problems } = problemsOf(error);
    const old = this.#state.failure;
    const failure = { since: old?.since ?? at, count, problems, told: old?.told === true };
    this.#state = { ...this.#state, failure, answered: asked ?? this.#state.answered };
    log.error(
      { count, problems, ...(error instanceof ConfigError ? {} : { err: error }) },
      "the configuration was not loaded: the one from before stays in force",
    );
    await this.#keep();
    if (old === null) this.#tellLater();
  }

  #tellLater(): void {
    this.#cancelTelling = this.#parts.clock.after(
      PATIENCE_MS,
      () => void this.#inTurn(() => this.#tell()),
    );
  }

  async #tell(): Promise<void> {
    const { failure } = this.#state;
    if (failure === null || failure.told) return;
    const { count, problems, since } = failure;
    const first = problems[0] ?? "";
    const event = { about: "configuration_refused", problems: count, first, since } as const;
    if (!(await this.#parts.found(event))) return this.#tellLater();
    this.#state = { ...this.#state, failure: { ...failure, told: true } };
    await this.#keep();
  }

  #keep(): Promise<void> {
    return this.#mark(CONFIGURATION_MARK, stateToText(this.#state));
  }

  async #mark(subject: string, value: string): Promise<void> {
    try {
      await this.#parts.store.commit({ ...NO_CHANGE, marks: [{ subject, value }] });
    } catch (error) {
      this.#parts.log.error({ err: error }, "cannot record the state of the configuration");
    }
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

function problemsOf(error: unknown): Pick<LoadFailure, "count" | "problems"> {
  if (error instanceof ConfigError) {
    const listed = error.problems.slice(0, MOST_LISTED);
    const problems = listed.map((one) => formatProblem({ ...one, source: "" }));
    return { count: error.problems.length + error.more, problems };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { count: 1, problems: [cleanText(message, 400)] };
}

function shortened({ rules, channels }: LoadedChanges): LoadedChanges {
  const few = ({ added, changed, removed }: LoadedChanges["rules"]) => ({
    added: added.slice(0, MOST_NAMES),
    changed: changed.slice(0, MOST_NAMES),
    removed: removed.slice(0, MOST_NAMES),
  });
  return { rules: few(rules), channels: few(channels) };
}

/** What is different, for the log: only what there is. */
function factsOf(changes: LoadedChanges): Readonly<Record<string, readonly string[]>> {
  const { rules, channels } = shortened(changes);
  const named = {
    newRules: rules.added,
    changedRules: rules.changed,
    removedRules: rules.removed,
    newChannels: channels.added,
    changedChannels: channels.changed,
    removedChannels: channels.removed,
  };
  return Object.fromEntries(Object.entries(named).filter(([, names]) => names.length > 0));
}
