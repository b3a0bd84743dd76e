import type { Clock } from "../../base/clock.ts";
import { DAY, MINUTE, SECOND } from "../../base/duration.ts";
import { asMap, readJson } from "../../base/json.ts";
import type { Log } from "../../base/log.ts";
import { createWakeableTimer } from "../../delivery/waits.ts";
import { NO_CHANGE } from "../../model/index.ts";
import type { Store } from "../../store/store.ts";
import type { Asked, Bot } from "./bot.ts";
import { answerTo, answerToPress, type ChatParts } from "./chat.ts";
import { type Incoming, incomingOf, numberOf } from "./incoming.ts";

export interface PollerParts {
  readonly bot: Bot;
  /** The bot's number, which is no secret. */
  readonly botId: string;
  /** Who may give commands, by chat. */
  readonly users: ReadonlyMap<string, ReadonlySet<number>>;
  readonly chat: ChatParts;
  readonly store: Store;
  /** Real time. */
  readonly clock: Clock;
  readonly log: Log;
}

export interface Poller {
  /** Breaks the poll off; what is being done is finished. */
  stop(): Promise<void>;
}

const FIRST_WAIT_MS = SECOND;
const LONGEST_WAIT_MS = MINUTE;
/** A token that is refused is tried again so often: somebody may have to renew it. */
const REFUSED_WAIT_MS = 10 * MINUTE;
/** Whoever may give commands gives no more than so many in a minute; what is beyond is not even answered. */
const MOST_A_MINUTE = 20;
/** Strangers may send as much as they like: it is looked at no faster. */
const BETWEEN_POLLS_MS = SECOND;
/**
 * After a week without updates Telegram begins with any number. Source: core.telegram.org/bots/api, "Update",
 * update_id.
 */
const NUMBERS_HOLD_MS = 6 * DAY;

/** How far updates have been dealt with. */
interface Progress {
  readonly last: number;
  /** When it came, epoch milliseconds. */
  readonly at: number;
}

/**
 * Asks Telegram for what people write to a bot, and does what those say who may. What was dealt with is
 * written down before it is done: neither a restart nor an answer that is repeated does it again.
 */
export function startPoller(parts: PollerParts): Poller {
  const { bot, store, clock, log, users, chat } = parts;
  const mark = `telegram:${parts.botId}`;
  const ending = new AbortController();
  const { signal } = ending;
  const timer = createWakeableTimer(clock);
  let name: string | null = null;
  let progress: Progress | null = null;
  let waitMs = FIRST_WAIT_MS;
  /** The trouble that the log knows. */
  let trouble: string | null = null;
  /** When commands were carried out lately, elapsed time. */
  let lately: number[] = [];
  let strangerSaidAt = Number.NEGATIVE_INFINITY;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        progress ??= progressFrom(await store.mark(mark));
        await step();
      } catch (error) {
        if (!signal.aborted) log.error({ err: error }, "Telegram commands could not be read");
        await rest(nextWait());
      }
    }
  }

  async function step(): Promise<void> {
    if (name === null) {
      const asked = await bot.name(signal);
      if (!asked.ok) return await failed(asked);
      name = asked.value;
    }
    const began = clock.elapsed();
    const asked = await bot.updates(offset(), signal);
    if (signal.aborted) return;
    if (!asked.ok) return await failed(asked);
    waitMs = FIRST_WAIT_MS;
    if (trouble !== null) log.info("Telegram commands are read again");
    trouble = null;
    for (const update of asked.value) {
      if (signal.aborted) return;
      await take(update);
    }
    await keep();
    // A long poll takes long; whatever answers at once, or is flooded, is not asked without a pause.
    await rest(BETWEEN_POLLS_MS - (clock.elapsed() - began));
  }

  /** The first update that is wanted; null: the earliest that there is. */
  function offset(): number | null {
    if (progress === null || clock.now() - progress.at > NUMBERS_HOLD_MS) return null;
    return progress.last + 1;
  }

  let kept: Progress | null = null;
  async function keep(): Promise<void> {
    if (progress === null || progress === kept) return;
    const value = JSON.stringify(progress);
    await store.commit({ ...NO_CHANGE, marks: [{ subject: mark, value }] });
    kept = progress;
  }

  async function take(update: unknown): Promise<void> {
    const number = numberOf(update);
    if (number === null || isDone(number)) return;
    progress = { last: number, at: clock.now() };
    const incoming = incomingOf(update);
    if (incoming === null) return;
    const may = users.get(incoming.chat);
    // Nothing shows a stranger that anybody is there.
    if (may === undefined) return;
    if (!may.has(incoming.sender.id)) return noteStranger(incoming);
    if (!isWithinRate()) return;
    // Before it is done, so that it is not done twice.
    await keep();
    await respond(incoming);
  }

  function isDone(number: number): boolean {
    if (progress === null) return false;
    if (number === progress.last) return true;
    return number < progress.last && clock.now() - progress.at <= NUMBERS_HOLD_MS;
  }

  function isWithinRate(): boolean {
    const now = clock.elapsed();
    lately = lately.filter((at) => now - at < MINUTE);
    if (lately.length >= MOST_A_MINUTE) {
      if (lately.length === MOST_A_MINUTE) {
        log.warn(
          { most: MOST_A_MINUTE },
          "too many Telegram commands in a minute; some are ignored",
        );
      }
      // Counted once beyond the limit, so that it is said once.
      if (lately.length === MOST_A_MINUTE) lately.push(now);
      return false;
    }
    lately.push(now);
    return true;
  }

  async function respond(incoming: Incoming): Promise<void> {
    const { chat: to, thread, message } = incoming;
    let text: string | null;
    if (incoming.kind === "press") {
      // A press that is too old for an answer was made before a downtime: it is not what is wanted now.
      const shown = await bot.answer(incoming.id, "on it …", signal);
      if (!shown.ok && shown.status === 400) return;
      text = await answerToPress(incoming, chat);
    } else text = await answerTo(incoming, name ?? "", clock.now(), chat);
    if (text === null) return;
    const sent = await bot.send({ chat: to, thread, to: message, text }, signal);
    if (!sent.ok)
      log.warn({ reason: reasonOf(sent) }, "an answer to a Telegram command was not sent");
  }

  function noteStranger({ chat: where, sender }: Incoming): void {
    const now = clock.elapsed();
    if (now - strangerSaidAt < MINUTE) return;
    strangerSaidAt = now;
    log.info(
      { user: sender.id, chat: where },
      "a Telegram message of a user who is not in commands.users is ignored",
    );
  }

  async function failed(asked: Extract<Asked<unknown>, { ok: false }>): Promise<void> {
    if (signal.aborted) return;
    const reason = reasonOf(asked);
    if (reason !== trouble) log.warn({ reason }, "Telegram commands cannot be read at the moment");
    trouble = reason;
    const refused = asked.status === 401 || asked.status === 403 || asked.status === 404;
    await rest(Math.max(refused ? REFUSED_WAIT_MS : nextWait(), asked.waitMs ?? 0));
  }

  function nextWait(): number {
    const wait = waitMs;
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
    return wait;
  }

  async function rest(ms: number): Promise<void> {
    if (ms > 0 && !signal.aborted) await timer.pause(clock.elapsed() + ms);
  }

  const running = run();
  return {
    async stop() {
      ending.abort();
      timer.end();
      await running;
    },
  };
}

/** What to make of a refusal for the log: its status, and what Telegram is known to say to that. */
function reasonOf({ status, description }: Extract<Asked<unknown>, { ok: false }>): string {
  if (status === null) return description;
  if (status === 409)
    return "HTTP 409: another program reads this bot's messages, or a webhook is set";
  if (status === 401 || status === 404) return `HTTP ${status}: the bot's token is refused`;
  return `HTTP ${status}`;
}

function progressFrom(text: string | null): Progress | null {
  const { last, at } = asMap(text === null ? null : readJson(text)) ?? {};
  return typeof last === "number" && typeof at === "number" ? { last, at } : null;
}
