import { createHash } from "node:crypto";

import type { Clock } from "../base/clock.ts";
import { MINUTE, SECOND } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import type { Channel, Outcome } from "../channels/channel.ts";
import type { Message, Notice } from "../model.ts";
import type { Settlement, Store } from "../store/store.ts";
import { createNap } from "./nap.ts";
import { PARKED_WAIT_MS, retryWait } from "./retry.ts";

export interface LoopParts {
  readonly name: string;
  readonly channel: Channel;
  readonly store: Store;
  /** Of the outbox: real time, since the receivers' limits are real. */
  readonly clock: Clock;
  readonly log: Log;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly onDelivered: (message: Message) => void;
}

export interface ChannelLoop {
  /** There may be something to send. */
  poke(): void;
  /** Resolves once the loop has looked and found nothing that is due. */
  idle(): Promise<void>;
  /** Sends nothing new; what is under way is broken off after `graceMs` of real time. */
  stop(graceMs: number): Promise<void>;
}

/** What another process wrote into the outbox is seen after this at the latest. */
const LONGEST_NAP_MS = MINUTE;
const LONGEST_PAUSE_MS = 30 * SECOND;
/** A channel that does not even mind being broken off is left behind. */
const ABORT_GRACE_MS = 500;

/** Delivers to one channel, one message after the other, until it is stopped. */
export function startLoop(parts: LoopParts): ChannelLoop {
  const { name, channel, store, clock, random, onDelivered } = parts;
  const log = parts.log.child({ channel: name });
  const nap = createNap(clock);
  const breakOff = new AbortController();
  const life = {
    stopping: false,
    /** After this the store is left alone: it may be closed. */
    ended: false,
  };
  let troubles = 0;

  async function run(): Promise<void> {
    // A restart is a reason to try what was waiting.
    await insist("the store did not wake what waits", () => store.wake(name));
    while (!life.stopping) {
      try {
        await step();
        troubles = 0;
      } catch (error) {
        log.error({ err: error }, "the outbox cannot be read or written");
        await pause();
      }
    }
  }

  async function step(): Promise<void> {
    nap.lookedAt();
    const claim = await store.claim(name, clock.now());
    if (life.stopping) return;
    switch (claim.kind) {
      case "message":
        return deliver(claim.message);
      case "notice":
        return writeDown(claim.notice);
      case "idle": {
        const latest = clock.now() + LONGEST_NAP_MS;
        return nap.until(Math.min(claim.until ?? latest, latest));
      }
    }
  }

  /** The body is frozen before the first send, so that every retry sends the same. */
  async function writeDown(notice: Notice): Promise<void> {
    const message: Message = {
      id: messageId(name, notice),
      channel: name,
      notices: [notice.id],
      body: "",
      attempts: 1,
    };
    let body: string;
    try {
      body = channel.render(notice);
    } catch (error) {
      // A notice that cannot be rendered never can be, and must not hold up those behind it.
      log.error({ notice: notice.id, err: error }, "a notice cannot be rendered and is given up");
      await store.freeze(message, clock.now());
      await settle(message, { status: "dead", at: clock.now(), error: "it cannot be rendered" });
      return;
    }
    await store.freeze({ ...message, body }, clock.now());
  }

  async function deliver(message: Message): Promise<void> {
    const outcome = await send(message);
    // Broken off by a stop: whether it arrived is not known, so it is sent again.
    if (life.ended || (breakOff.signal.aborted && outcome.status !== "sent")) return;
    await settle(message, settlement(message, outcome));
    if (outcome.status === "sent") onDelivered(message);
  }

  async function send(message: Message): Promise<Outcome> {
    try {
      return await channel.send(message, breakOff.signal);
    } catch {
      // Against its contract; the error may name a secret.
      return { status: "retry", reason: "the channel failed" };
    }
  }

  function settlement(message: Message, outcome: Outcome): Settlement {
    const at = clock.now();
    const facts = { message: message.id, notices: message.notices, attempts: message.attempts };
    switch (outcome.status) {
      case "sent":
        if (outcome.note === undefined) log.info(facts, "a message was delivered");
        else log.warn({ ...facts, note: outcome.note }, "a message was delivered, but not to all");
        return { status: "sent", at };
      case "retry": {
        const waitMs = retryWait(message.attempts, outcome.afterMs ?? null, random);
        const { reason } = outcome;
        log.warn({ ...facts, reason, waitMs }, "a message was not delivered and is tried again");
        return { status: "waiting", until: at + waitMs, error: reason };
      }
      case "parked": {
        const { reason } = outcome;
        const waitMs = PARKED_WAIT_MS;
        log.warn({ ...facts, reason, waitMs }, "the channel refuses: everything for it waits");
        return { status: "waiting", until: at + waitMs, error: reason };
      }
      case "dead": {
        const { reason } = outcome;
        log.error({ ...facts, reason }, "a message can never be delivered and is given up");
        return { status: "dead", at, error: reason };
      }
    }
  }

  /** What came of a send must be written down, or the message would be sent once more. */
  function settle(message: Message, result: Settlement): Promise<void> {
    return insist("the outcome of a send cannot be written down", () =>
      store.settle(message.id, result),
    );
  }

  async function insist(problem: string, act: () => Promise<void>): Promise<void> {
    while (!life.ended) {
      try {
        await act();
        return;
      } catch (error) {
        log.error({ err: error }, problem);
        if (life.stopping) return;
        await pause();
      }
    }
  }

  async function pause(): Promise<void> {
    troubles += 1;
    const ms = Math.min(SECOND * 2 ** Math.min(troubles - 1, 10), LONGEST_PAUSE_MS);
    await nap.pause(clock.now() + ms);
  }

  const running = run();

  return {
    poke: () => nap.wake(),
    idle: () => nap.idle(),
    async stop(graceMs) {
      life.stopping = true;
      nap.end();
      await within(running, graceMs);
      breakOff.abort();
      await within(running, ABORT_GRACE_MS);
      life.ended = true;
    },
  };
}

/** The same for the same notice and channel: freezing twice makes the same message. */
function messageId(channel: string, notice: Notice): string {
  const facts = JSON.stringify([channel, notice.id]);
  return createHash("sha256").update(facts).digest("hex").slice(0, 24);
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
