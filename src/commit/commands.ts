import { type Clock, toWholeSecond } from "../base/clock.ts";
import { SECOND } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import { carryOut } from "../decide/notification-state.ts";
import {
  type Alert,
  type Change,
  type Command,
  type CommandPlace,
  NO_CHANGE,
} from "../model/index.ts";
import type { Share } from "../poll/division.ts";
import type { AlertMemory, Memory } from "../poll/memory.ts";
import type { Store } from "../store/store.ts";
import type { Committer } from "./committer.ts";

/** What people wrote down beside the daemon is looked for so often. */
const EVERY_MS = 5 * SECOND;

export interface CommandsOptions {
  readonly memory: Memory;
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly log: Log;
  /** Null: it is the only one. */
  readonly share: Share | null;
  /** Some were carried out. */
  readonly onDone?: () => void;
}

interface CarriedOut {
  readonly change: Change;
  readonly alerts: ReadonlyMap<AlertMemory, Alert>;
}

/** Carries out the commands that people give beside a running daemon: at its start and every five seconds. */
export class Commands {
  #cancel: (() => void) | null = null;
  /** A look is under way: what it finds must not be found a second time. */
  #looking: Promise<void> | null = null;
  #stopped = false;
  /** The last look failed, which was said. */
  #failing = false;

  constructor(private readonly options: CommandsOptions) {}

  /** Undefined: everywhere. */
  get #place(): CommandPlace | undefined {
    const { share } = this.options;
    return share === null ? undefined : { slots: [...share.slots], config: share.config };
  }

  start(): void {
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    this.#cancel = null;
    await this.#looking;
  }

  #wake(): void {
    const { clock } = this.options;
    // Armed first: whatever comes of this look, there is another one.
    this.#cancel = clock.after(toWholeSecond(clock, EVERY_MS), () => this.#wake());
    void this.look();
  }

  /** Looks for them now, or joins the look that is under way. Never rejects. */
  async look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { store, log, share } = this.options;
    // What is about to come here would be left out.
    if (share !== null && share.division.waitingIn(share.slots).size > 0) return;
    try {
      const commands = await store.commands(this.#place);
      this.#failing = false;
      if (commands.length > 0 && !this.#stopped) await this.carryOut(commands);
    } catch (error) {
      if (!this.#failing) log.warn({ err: error }, "commands cannot be read at the moment");
      this.#failing = true;
    }
  }

  /** Carries these out in one transaction. Never rejects. */
  async carryOut(commands: readonly Command[]): Promise<void> {
    await this.options.committer.commit(
      () => this.#decide(commands),
      ({ alerts }) => {
        for (const [memory, alert] of alerts) memory.alert = alert;
        this.options.onDone?.();
      },
    );
  }

  /** Nobody waits for an answer, so a command that cannot be carried out is logged and done with. */
  #decide(commands: readonly Command[]): CarriedOut {
    const { memory, log, clock, share } = this.options;
    const now = clock.now();
    const alerts = new Map<AlertMemory, Alert>();
    for (const command of commands) {
      const { id, kind, rule, subject, author, doneIn } = command;
      const watched = memory.rules.find((one) => one.rule.name === rule)?.alerts ?? [];
      const isDone = (key: string): boolean =>
        share !== null && doneIn?.has(share.division.slotOf(rule, key)) === true;
      const named = watched.filter((one) => !isDone(one.subject.key));
      const meant = subject === null ? named : named.filter((one) => one.subject.key === subject);
      let changed = 0;
      for (const one of meant) {
        const before = alerts.get(one) ?? one.alert;
        const after = before === null ? null : carryOut(before, command);
        if (after === null || after === before) continue;
        alerts.set(one, after);
        changed += 1;
      }
      const fields = { order: id, kind, rule, ...(subject === null ? {} : { subject }) };
      // Of several daemons others may have what is meant.
      if (meant.length === 0 && share !== null) continue;
      if (meant.length === 0) log.warn(fields, "a command names no watched alert");
      else if (changed === 0) log.warn(fields, "a command had nothing left to change");
      else log.info({ ...fields, by: author, alerts: changed }, "a command was carried out");
    }
    return {
      change: {
        ...NO_CHANGE,
        alerts: [...alerts.values()],
        alertChanges: Array.from(alerts.values(), (alert) => ({ at: now, value: null, alert })),
        commands: commands.map(({ id }) => id),
        ...(this.#place === undefined ? {} : { commandsIn: this.#place }),
      },
      alerts,
    };
  }
}
