import { randomUUID } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { MINUTE } from "../../base/duration.ts";
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
import { fingerprintsOf } from "./fingerprints.ts";
import type { Differences } from "./setup-parts.ts";

export interface LoadReportParts {
  readonly store: Store;
  /** Of real time, in which people edit files. */
  readonly clock: Clock;
  readonly log: Log;
  /** Tells people. */
  readonly found: (event: CheckEvent) => Promise<boolean>;
}

/** Whoever edits makes mistakes on the way: people are told of what stays wrong for so long. */
const PATIENCE_MS = MINUTE;
const MOST_LISTED = 5;
/** A list of names is for a person to read. */
const MOST_NAMES = 20;

/** Says what came of each loading: in the log, in the store and, of a mistake that stays, to people. */
export class LoadReport {
  /** Runs work after what goes on with the files. */
  readonly #inTurn: (work: () => Promise<void>) => Promise<void>;
  #state: ConfigurationState;
  #cancelTelling = (): void => {};

  constructor(
    private readonly parts: LoadReportParts,
    setup: Setup,
    inTurn: (work: () => Promise<void>) => Promise<void>,
  ) {
    this.#inTurn = inTurn;
    this.#state = {
      loadedAt: parts.clock.now(),
      page: pageOf(setup)?.url ?? null,
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

  /** Goes on from what the daemon before wrote down; `setup` is what this one was started with. */
  async start(setup: Setup): Promise<void> {
    const { store, found } = this.parts;
    const before = stateFromText(await store.mark(CONFIGURATION_MARK));
    // Whoever asks from beside the daemon can write only under a name that is there.
    const asked = await store.mark(RELOAD_MARK);
    if (asked === null) await this.#mark(RELOAD_MARK, "");
    // One for all times: several would tell more of a secret.
    const salt = before === null || before.salt === "" ? randomUUID() : before.salt;
    const fingerprints = fingerprintsOf(setup, salt);
    this.#state = { ...this.#state, answered: before?.answered ?? null, salt, fingerprints };
    await this.#keep();
    if (before?.failure?.told === true) await found({ about: "configuration_loaded" });
  }

  stop(): void {
    this.#cancelTelling();
  }

  /** `asked`: the request that is answered with it. */
  async loaded(setup: Setup, what: Differences, asked: string | null): Promise<void> {
    const { log, found, clock } = this.parts;
    const { failure, salt } = this.#state;
    const { changes, needsRestart, waitsFor = [], isOlder = false } = what;
    this.#cancelTelling();
    this.#state = {
      loadedAt: clock.now(),
      page: pageOf(setup)?.url ?? null,
      failure: null,
      needsRestart,
      waitsFor,
      isOlder,
      changes: shortened(changes),
      answered: asked ?? this.#state.answered,
      salt,
      fingerprints: fingerprintsOf(setup, salt),
    };
    const { rules, channels } = setup;
    const facts = { rules: rules.length, channels: channels.length, ...factsOf(changes) };
    if (isOlder)
      log.warn("these files are older than the cluster's configuration, which stays in force");
    else if (waitsFor.length > 0) {
      log.warn(
        { ...facts, waitsFor },
        "the configuration was loaded and is not in force yet: it waits for other daemons",
      );
    } else if (what.any) log.info(facts, "the configuration was reloaded");
    else log.info("the configuration was read again: nothing in it has changed");
    if (needsRestart.length > 0) {
      log.warn({ keys: needsRestart }, "a changed setting needs a restart: the old value stays");
    }
    await this.#keep();
    if (failure?.told === true) await found({ about: "configuration_loaded" });
  }

  /** What is in force stays; `asked` as above. */
  async refused(error: unknown, asked: string | null): Promise<void> {
    const { log, clock } = this.parts;
    const { count, problems } = problemsOf(error);
    const old = this.#state.failure;
    const failure = { since: old?.since ?? clock.now(), count, problems, told: old?.told === true };
    this.#state = { ...this.#state, failure, answered: asked ?? this.#state.answered };
    log.error(
      { count, problems, ...(error instanceof ConfigError ? {} : { err: error }) },
      "the configuration was not loaded: the one from before stays in force",
    );
    await this.#keep();
    if (old === null) this.#tellLater();
  }

  #tellLater(): void {
    this.#cancelTelling = this.parts.clock.after(
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
    if (!(await this.parts.found(event))) return this.#tellLater();
    this.#state = { ...this.#state, failure: { ...failure, told: true } };
    await this.#keep();
  }

  #keep(): Promise<void> {
    return this.#mark(CONFIGURATION_MARK, stateToText(this.#state));
  }

  async #mark(subject: string, value: string): Promise<void> {
    try {
      await this.parts.store.commit({ ...NO_CHANGE, marks: [{ subject, value }] });
    } catch (error) {
      this.parts.log.error({ err: error }, "cannot record the state of the configuration");
    }
  }
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
