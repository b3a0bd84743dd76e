import { MINUTE, SECOND } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import { KEEPER, slotFrom } from "../store/postgres/member-access.ts";
import type { ClusterView, Registered } from "./leases.ts";
import type { Member } from "./member.ts";
import { behindOf, type Standing, standingOf } from "./rollout.ts";
import type { Holding, Worker } from "./worker.ts";

/** What a member's own files say. */
export interface OwnFiles {
  readonly hash: string;
  /** Their text, for others; null: it holds a secret. */
  readonly text: string | null;
}

export interface ChoiceParts {
  readonly member: Member;
  /** Of the configuration that decides. */
  readonly hash: () => string;
  readonly own: OwnFiles;
  readonly log: Log;
  readonly leaseMs: number;
  /** Null: the server cannot be reached, or another one has taken over. */
  readonly look: () => Promise<ClusterView | null>;
}

/** What could not be read is tried again then: a secret may have come. */
const PREPARE_MS = 10 * SECOND;
/** People are told of a configuration that waits for so long. */
const HELD_UP_MS = 5 * MINUTE;

/** By which configuration a member decides, and how it goes over to the next one. */
export class Choice {
  readonly #parts: ChoiceParts;
  readonly #worker: Worker;
  #own: OwnFiles;
  /** The configuration by which it decides; null: the server has not said its number yet. */
  #number: number | null = null;
  #passed: number | null = null;
  /** Why it could not decide by the newest configuration, and when it was tried, in elapsed time. */
  #problem: { readonly number: number; readonly why: string; readonly at: number } | null = null;
  /** What its files say is to be the newest, though it may have been before. */
  #insists = false;
  /** Since when nobody who is alive has the configuration in force, in elapsed time; null: somebody has. */
  #orphanedSince: number | null = null;
  /** Since when the newest configuration has waited for others. */
  #heldUp: { readonly number: number; readonly since: number; told: boolean } | null = null;
  #lacking: readonly string[] = [];
  #isPostponed = false;

  constructor(parts: ChoiceParts, worker: Worker) {
    this.#parts = parts;
    this.#worker = worker;
    this.#own = parts.own;
  }

  /** The number of the configuration by which it decides; null: that is not known yet. */
  get number(): number | null {
    return this.#number;
  }

  /** What its own files say. */
  get own(): OwnFiles {
    return this.#own;
  }

  /** The daemons for whom what its files say waits. */
  get waitsFor(): readonly string[] {
    const { hash, member } = this.#parts;
    if (hash() === this.#own.hash) return [];
    return this.#lacking.length > 0 ? this.#lacking : [member.name];
  }

  /** Its files say something else: that is to be the newest configuration. */
  propose(own: OwnFiles): void {
    this.#own = own;
    this.#insists = true;
    this.#problem = null;
  }

  /** For who asks how it stands. */
  status({ configs }: ClusterView) {
    const own = configs.find(({ hash }) => hash === this.#own.hash)?.number ?? null;
    return {
      decides: this.#number,
      passed: this.#passed,
      problem: this.#problem?.why ?? null,
      hasOlderFiles: own !== null && own < (this.#number ?? 0),
    };
  }

  /**
   * Looks by which configuration it is to decide, and goes over to it with what it holds; `done` is told of that. Resolves to
   * how the work is shared then; null: it must look again first.
   */
  async make(
    view: ClusterView,
    held: Holding,
    done: (holding: Holding) => void,
  ): Promise<ClusterView | null> {
    const { hash } = this.#parts;
    if (await this.#registers(view)) return null;
    this.#number ??= view.configs.find((one) => one.hash === hash())?.number ?? null;
    await this.#prepare(view);
    const standing = standingOf(this.#withMe(view));
    if (standing === null || this.#number === null) return null;
    this.#watch(standing, held);
    const target = await this.#target(standing);
    return (target === null ? null : await this.#goOver(target, held, done)) ?? view;
  }

  /** Why it takes no part of the work, in words. */
  waitsForWords({ members, configs }: ClusterView, force: Registered): string {
    const [newest] = configs;
    const number = this.#number ?? 0;
    if (number > force.number) {
      const lacking = members.filter(({ passed }) => (passed ?? 0) < (newest?.number ?? 0));
      return `its configuration waits for ${lacking.map(({ name }) => name).join(", ") || "the others"}`;
    }
    if (number === force.number) return "the others go over to a configuration";
    return "older configuration";
  }

  /** As others will see it. */
  #withMe(view: ClusterView): ClusterView {
    const mine = { decides: this.#number, passed: this.#passed };
    const members = view.members.map((one) =>
      one.id === this.#parts.member.id ? { ...one, ...mine } : one,
    );
    return { ...view, members };
  }

  /** Its files hold what nobody had before, or what somebody has asked for: that is the newest from now on. */
  async #registers({ configs, members }: ClusterView): Promise<boolean> {
    const { member, log, hash, leaseMs } = this.#parts;
    const { hash: own, text } = this.#own;
    const [newest] = configs;
    const isKnown = configs.some((one) => one.hash === own);
    const isOrphan =
      newest?.isBegun === true &&
      newest.hash !== hash() &&
      members.every(({ passed }) => (passed ?? 0) < newest.number);
    this.#orphanedSince = isOrphan ? (this.#orphanedSince ?? performance.now()) : null;
    const since = this.#orphanedSince;
    const isLost = since !== null && performance.now() - since >= leaseMs;
    if (newest?.hash === own) this.#insists = false;
    if (isKnown && !this.#insists && !isLost) return false;
    if (isLost) {
      log.warn(
        "no daemon has the newest configuration any more: this daemon puts its own into force",
      );
    } else log.info("this daemon puts its configuration into force");
    if (await member.register(own, text)) {
      this.#insists = false;
      this.#orphanedSince = null;
    }
    return true;
  }

  /** Finds out whether it could decide by the newest configuration. */
  async #prepare({ configs: [newest] }: ClusterView): Promise<void> {
    const { member, hash, log } = this.#parts;
    if (newest === undefined || this.#passed === newest.number) return;
    const { number } = newest;
    const last = this.#problem;
    if (last?.number === number && performance.now() - last.at < PREPARE_MS) return;
    const why =
      newest.hash === hash()
        ? null
        : await this.#worker.prepare(newest, () => member.files(number));
    if (why === null) {
      this.#passed = number;
      this.#problem = null;
      return;
    }
    this.#problem = { number, why, at: performance.now() };
    const says = "this daemon cannot use the newest configuration";
    if (last?.number !== number || last.why !== why) log.warn({ by: newest.by, why }, says);
  }

  /** By which configuration it is to decide; null: by the one that it has, as far as it can tell. */
  async #target({ newest, force, isDue }: Standing): Promise<Registered | null> {
    const number = this.#number ?? 0;
    if (isDue) return this.#passed === newest.number ? newest : null;
    // Files that are older than what the others decide by.
    if (force === null || number >= force.number) return null;
    const files = (): Promise<string | null> => this.#parts.member.files(force.number);
    return (await this.#worker.prepare(force, files)) === null ? force : null;
  }

  /** Says what keeps the newest configuration from going into force. */
  #watch({ newest: { number, by }, lacking, isDue }: Standing, { held }: Holding): void {
    const { log } = this.#parts;
    const names = lacking.map(({ name }) => name);
    this.#lacking = isDue ? [] : names;
    if (isDue) {
      this.#heldUp = null;
      return;
    }
    if (this.#heldUp?.number !== number) {
      this.#heldUp = { number, since: performance.now(), told: false };
      log.info({ by, waitsFor: names }, "a newer configuration is going into force");
    }
    const isLong = performance.now() - this.#heldUp.since >= HELD_UP_MS;
    if (!isLong || this.#heldUp.told || !held.has(KEEPER)) return;
    this.#heldUp.told = true;
    this.#worker.heldUp(names);
  }

  /** Decides by this configuration from now on, with all that it holds. Null: it does already. */
  async #goOver(
    newest: Registered,
    { held }: Holding,
    done: (holding: Holding) => void,
  ): Promise<ClusterView | null> {
    const { member, log, look } = this.#parts;
    if (this.#number === newest.number && newest.isBegun) return null;
    if (!newest.isBegun && !(await member.begin(newest.number))) return null;
    // Who has what of the others' is as it was, or newer: nobody takes anything by an older one any more.
    const after = await look();
    if (after === null || this.#number === newest.number) return after;
    const behind = behindOf(after, member.id, newest.number);
    const states = new Map(after.leases.map(({ name, config }) => [name, config]));
    const current = [...held.keys()].filter((name) => states.get(name) === newest.number);
    const holding = { config: newest.number, held, current: new Set(current), behind };
    try {
      await this.#worker.adopt(newest.hash, holding);
    } catch (error) {
      if (!this.#isPostponed)
        log.warn({ err: error }, "the newest configuration will be loaded later");
      this.#isPostponed = true;
      return after;
    }
    this.#isPostponed = false;
    this.#number = newest.number;
    done(holding);
    log.info({ by: newest.by, number: newest.number }, "this configuration decides from now on");
    await member.enter(
      [...held.keys()].filter((name) => slotFrom(name) !== null),
      newest.number,
    );
    return (await look()) ?? after;
  }
}
