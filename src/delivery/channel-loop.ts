import type { Clock } from "../base/clock.ts";
import { MINUTE, SECOND } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import { messageId } from "../base/text.ts";
import type { Channel, Outcome } from "../channels/channel.ts";
import type { Message, Notice } from "../model/index.ts";
import type { Settlement, Store } from "../store/store.ts";
import { digestOf } from "./digest/digest.ts";
import type { OnDeliveryEvent } from "./event.ts";
import { localize, UTC } from "./localize.ts";
import { createHeldBack } from "./suppress/held-back.ts";
import type { Mutes } from "./suppress/hold.ts";
import type { ChannelTroubles } from "./troubles.ts";
import { createWakeableTimer, GroupWait, PARKED_WAIT_MS, RetryWait, retryWait } from "./waits.ts";

export interface LoopParts {
  readonly name: string;
  readonly channel: Channel;
  /** In which its notices tell times. */
  readonly zone: string;
  readonly store: Store;
  /** Of the outbox: real time, since the receivers' limits are real. Its waits are of elapsed time. */
  readonly clock: Clock;
  /** Of silences and mutes: the one on which the rules live. */
  readonly holdClock: Clock;
  /** Of a rule, by its name; undefined: nobody mutes it. */
  readonly mutesOf: (rule: string) => Mutes | undefined;
  readonly log: Log;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  /** So long, in milliseconds, notices wait for others that go with them; 0: each goes alone. A reload may change it. */
  readonly groupWaitMs: () => number;
  /** Until then nothing new goes to people: what a start finds is one message. Null: there is no start. */
  readonly begun: Promise<void> | null;
  /** What is known of the channel; resolves once it can be used. */
  readonly troubles: Promise<ChannelTroubles>;
  readonly onEvent: OnDeliveryEvent;
}

export interface ChannelLoop {
  /** There may be something to send. */
  poke(): void;
  /** Mutes may have changed: looks anew at what they hold back. */
  review(): void;
  /** Resolves once the loop has looked and found nothing that is due. */
  idle(): Promise<void>;
  /** Sends nothing new; what is under way is interrupted after `graceMs` of real time. */
  stop(graceMs: number): Promise<void>;
}

/** What another process wrote into the outbox is seen after this at the latest. */
const LOOK_EVERY_MS = MINUTE;
const LONGEST_PAUSE_MS = 30 * SECOND;
/** A start is one message, however much it finds; beyond this making it would hold up everything else. */
const MOST_OF_A_START = 1_000;
/** A channel that does not even mind being interrupted is left behind. */
const ABORT_GRACE_MS = 500;

/** Delivers to one channel, one message after the other, until it is stopped. */
export function startLoop(parts: LoopParts): ChannelLoop {
  const { name, channel, zone, store, clock, holdClock, random, mutesOf, onEvent } = parts;
  const log = parts.log.child({ channel: name });
  const heldBack = createHeldBack({ name, store, clock: holdClock, mutesOf, log, onEvent });
  const timer = createWakeableTimer(clock);
  /** What a start finds is waited for; it is there, and goes at once and in one; nothing of it is left. */
  let start: "awaited" | "there" | "over" =
    channel.digests === true && parts.begun !== null ? "awaited" : "over";
  const breakOff = new AbortController();
  const loop = {
    stopping: false,
    /** After this the store is left alone: it may be closed. */
    ended: false,
  };
  const group = new GroupWait(clock, () => (channel.digests === true ? parts.groupWaitMs() : 0));
  const retry = new RetryWait(clock);
  let storeTroubles = 0;
  /** Something of the latest claim is held back: there may be more of it, which is written down together. */
  let holding = false;
  /** The end of the latest send, in elapsed time. */
  let sentAt = Number.NEGATIVE_INFINITY;

  async function run(): Promise<void> {
    // A restart is a reason to try what was waiting.
    await insist("cannot mark queued messages as due", () => store.wake(name));
    while (!loop.stopping) {
      try {
        await step();
        storeTroubles = 0;
      } catch (error) {
        log.error({ err: error }, "cannot read or write the outbox");
        await pause();
      }
    }
  }

  async function step(): Promise<void> {
    timer.lookedAt();
    await heldBack.release();
    const claim = await store.claim(name, retry.now, mostClaimed());
    if (loop.stopping) return;
    switch (claim.kind) {
      case "message":
        return deliver(claim.message);
      case "notices":
        if (start === "awaited") return timer.until(clock.elapsed() + LOOK_EVERY_MS);
        // What is held back is claimed no more, and the others are looked at anew.
        holding = !(await heldBack.pass(claim.notices));
        if (holding || loop.stopping) return;
        return gather(claim.notices);
      case "idle": {
        if (start === "there") start = "over";
        const { until, held } = claim;
        const latest = clock.elapsed() + LOOK_EVERY_MS;
        if (until !== null && held !== true) return waitForRetry(until, latest);
        group.end();
        if (until === null) return timer.until(latest);
        return timer.until(latest, { clock: holdClock, at: until });
      }
    }
  }

  /** Undefined: as many as a claim shows. Those of many that go one by one need not all be read for each. */
  function mostClaimed(): number | undefined {
    if (start === "there") return MOST_OF_A_START;
    return goesAlone() && !holding ? 1 : undefined;
  }

  function goesAlone(): boolean {
    return channel.digests !== true || (parts.groupWaitMs() === 0 && start !== "there");
  }

  async function waitForRetry(until: number, latest: number): Promise<void> {
    const troubles = await parts.troubles;
    await troubles.review();
    return timer.until(Math.min(retry.dueAt(until), latest, troubles.due() ?? latest));
  }

  /** People get what comes within a short time as one message, programs one notice after another. */
  async function gather(notices: readonly [Notice, ...Notice[]]): Promise<void> {
    const [first] = notices;
    // A report is a message of its own: among others its lines would be lost.
    if (first.kind === "report") {
      // What stands behind it has waited with it.
      group.split();
      return writeDown(first);
    }
    const place = notices.findIndex(({ kind }) => kind === "report");
    if (place > 0) return gather([first, ...notices.slice(1, place)]);
    const atOnce = start === "there";
    if (atOnce) group.split();
    const until = group.until(notices);
    if (until !== null) return timer.pause(until);
    if (goesAlone() || notices.length === 1) return writeDown(first);
    const message = draft(notices);
    let body: string;
    try {
      body = channel.render(digestOf(notices, message.id, channel.room, zone));
    } catch (error) {
      log.error({ err: error }, "cannot render the digest; its notices are sent one by one");
      group.split();
      return writeDown(first);
    }
    await store.freeze({ ...message, body }, clock.now());
  }

  function draft(notices: readonly Notice[]): Message {
    const ids = notices.map(({ id }) => id);
    return { id: messageId(name, ids), channel: name, notices: ids, body: "", attempts: 1 };
  }

  /** The body is frozen before the first send, so that every retry sends the same. */
  async function writeDown(notice: Notice): Promise<void> {
    const message = draft([notice]);
    let body: string;
    try {
      body = channel.render(zone === UTC ? notice : localize(notice, zone));
    } catch (error) {
      // A notice that cannot be rendered never can be, and must not hold up those behind it.
      log.error(
        { notice: notice.id, err: error },
        "cannot render a notice; it becomes a dead letter",
      );
      await store.freeze(message, clock.now());
      await settle(message, { status: "dead", at: clock.now(), error: "it cannot be rendered" });
      return;
    }
    await store.freeze({ ...message, body }, clock.now());
  }

  async function deliver(message: Message): Promise<void> {
    const next = sentAt + (channel.gapMs ?? 0);
    // What has become due meanwhile is looked at anew.
    if (clock.elapsed() < next) return timer.pause(next);
    const outcome = await send(message);
    sentAt = clock.elapsed();
    // Broken off by a stop: whether it arrived is not known, so it is sent again.
    if (loop.ended || (breakOff.signal.aborted && outcome.status !== "sent")) return;
    await settle(message, settlement(message, outcome));
    onEvent({ kind: "ended", message, status: outcome.status });
    if (outcome.status === "sent") {
      // Said once it is written down: what the log calls delivered is not sent again, even if this process dies now.
      const { note } = outcome;
      if (note === undefined) log.info(factsOf(message), "delivered");
      else
        log.warn(
          { ...factsOf(message), note },
          "delivered, but not to everyone or not as rendered",
        );
    }
    const troubles = await parts.troubles;
    if (outcome.status === "sent" || outcome.status === "dead") await troubles.worked();
    else await troubles.failed(outcome.reason, outcome.status === "parked");
  }

  async function send(message: Message): Promise<Outcome> {
    try {
      return await channel.send(message, breakOff.signal);
    } catch {
      // Against its contract; the error may name a secret.
      return { status: "retry", reason: "the channel failed" };
    }
  }

  /** What a line of the log says of a message. */
  function factsOf({ id, notices, attempts }: Message) {
    return { message: id, notices, attempts };
  }

  function settlement(message: Message, outcome: Outcome): Settlement {
    const at = clock.now();
    if (outcome.status === "sent") {
      const { note } = outcome;
      return { status: "sent", at, ...(note === undefined ? {} : { note }) };
    }
    const facts = factsOf(message);
    const { status, reason } = outcome;
    if (status === "dead") {
      log.error({ ...facts, reason }, "delivery failed for good; the message is a dead letter");
      return { status: "dead", at, error: reason };
    }
    const parked = status === "parked";
    const waitMs = parked
      ? PARKED_WAIT_MS
      : retryWait(message.attempts, outcome.afterMs ?? null, random);
    const text = parked
      ? "the channel is rejecting messages; notices are queued"
      : "delivery failed; the message will be retried";
    log.warn({ ...facts, reason, waitMs }, text);
    return { status: "waiting", at, until: retry.begin(waitMs), error: reason };
  }

  /** What came of a send must be written down, or the message would be sent once more. */
  function settle(message: Message, result: Settlement): Promise<void> {
    return insist("cannot record the outcome of a send", () => store.settle(message.id, result));
  }

  async function insist(problem: string, act: () => Promise<void>): Promise<void> {
    while (!loop.ended) {
      try {
        await act();
        return;
      } catch (error) {
        log.error({ err: error }, problem);
        if (loop.stopping) return;
        await pause();
      }
    }
  }

  async function pause(): Promise<void> {
    storeTroubles += 1;
    const ms = Math.min(SECOND * 2 ** Math.min(storeTroubles - 1, 10), LONGEST_PAUSE_MS);
    await timer.pause(clock.elapsed() + ms);
  }

  void parts.begun?.then(() => {
    if (start === "awaited") start = "there";
    timer.wake();
  });
  const running = run();

  return {
    poke: () => timer.wake(),
    review() {
      heldBack.review();
      timer.wake();
    },
    idle: () => timer.idle(),
    async stop(graceMs) {
      loop.stopping = true;
      timer.end();
      await within(running, graceMs);
      breakOff.abort();
      await within(running, ABORT_GRACE_MS);
      loop.ended = true;
    },
  };
}

/** Waits for `work`, but no longer than `ms` of real time. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
