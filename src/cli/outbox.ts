import { systemClock } from "../base/clock.ts";
import { nearest } from "../base/nearest.ts";
import { storeName } from "../base/postgres-url.ts";
import { cleanText, countOf } from "../base/text.ts";
import type { Actor } from "../operate/actor.ts";
import { dropMessage, retryMany as retryAll, retryMessage } from "../operate/outbox.ts";
import type { OperatorDb } from "../store/operator-db/operator-db.ts";
import type { Outbox } from "../store/operator-db/outbox.ts";
import type { OutboxEntry } from "../store/operator-db/outbox-entries.ts";
import { authorOf, EXIT, type Io } from "./io.ts";
import { entryJson, entryPage, heldReasons, listJson, listPage } from "./outbox-page.ts";
import { print } from "./report.ts";
import { withOperatorDb } from "./with-operator-db.ts";

export interface OutboxOptions {
  readonly config: string;
  readonly json?: boolean;
  readonly dead?: boolean;
  readonly limit?: number;
}

const MOST_SHOWN = 100;

/** `tickwatch outbox list`: the exit code. Throws, as the three below, ConfigError and StoreError. */
export async function list(options: OutboxOptions, io: Io): Promise<number> {
  return await withOperatorDb(options.config, io, "read", async (db, { store, setup }) => {
    const which = options.dead === true ? "dead" : "open";
    const shown = await db.outboxPages[which](null, 0, options.limit ?? MOST_SHOWN);
    const count = await db.outboxPages.total(which);
    const now = systemClock().now();
    const isHeld = shown.some(({ state }) => state === "held");
    const reasons = isHeld ? heldReasons(await setup(), await db.silences.all(), now) : null;
    print(options, io, {
      value: () => listJson(shown, count, reasons),
      page: () => listPage(shown, count, which === "dead", storeName(store), now, reasons),
    });
    return EXIT.fine;
  });
}

/** `tickwatch outbox show`: the exit code. */
export async function show(id: string, options: OutboxOptions, io: Io): Promise<number> {
  return await withOperatorDb(options.config, io, "read", async ({ outbox }) => {
    const entry = await theOne(id, outbox, io);
    if (entry === null) return EXIT.usage;
    const body = await outbox.body(entry.id);
    print(options, io, {
      value: () => ({ ...entryJson(entry), body }),
      page: () => entryPage(entry, body),
    });
    return EXIT.fine;
  });
}

/** `tickwatch outbox retry`: the exit code. */
export async function retry(
  what: string | undefined,
  options: OutboxOptions,
  io: Io,
): Promise<number> {
  return await withOperatorDb(options.config, io, "write", async (db, { setup }) => {
    const { outbox, outboxPages } = db;
    // A channel that something is still owed to, be it configured or not.
    if (what === undefined || (await outboxPages.counts()).has(what)) {
      return await retryMany(what ?? null, options, db, io);
    }
    // A whole id is no channel, and needs no configuration that can be read.
    const whole = (await outbox.find(what)).some(({ id }) => id === what);
    const channels = whole ? [] : (await setup()).channels.map(({ name }) => name);
    if (channels.includes(what)) return await retryMany(what, options, db, io);
    const entry = await theOne(what, outbox, io, channels);
    if (entry === null) return EXIT.usage;
    if (entry.state === "held") {
      const how = "`tickwatch silence expire` ends a silence";
      io.err(
        `tickwatch: ${entry.id} is suppressed; \`tickwatch outbox list\` says by what, and ${how}\n`,
      );
      return EXIT.found;
    }
    if (!(await retryMessage(entry, actor(), systemClock().now(), outbox))) {
      io.err(`tickwatch: ${entry.id} was delivered; it is not sent again\n`);
      return EXIT.found;
    }
    const revived = entry.state === "dead";
    report(
      { due: revived ? 0 : 1, revived: revived ? 1 : 0 },
      revived
        ? `${entry.id} is queued again for ${entry.channel}`
        : `${entry.id} for ${entry.channel} is due`,
      options,
      io,
    );
    return EXIT.fine;
  });
}

async function retryMany(
  channel: string | null,
  options: OutboxOptions,
  { outbox, outboxPages }: OperatorDb,
  io: Io,
): Promise<number> {
  const selection = { channel, dead: options.dead === true };
  const done = await retryAll(selection, actor(), systemClock().now(), outbox);
  const left = await outboxPages.letters(channel);
  const lines = [
    `${countOf(done.due, "waiting message")} ${done.due === 1 ? "is" : "are"} due now`,
    ...(done.revived === 0
      ? []
      : [
          `${countOf(done.revived, "dead letter")} ${done.revived === 1 ? "is" : "are"} queued again`,
        ]),
    ...(left === 0
      ? []
      : [
          `${countOf(left, "dead letter")} not retried; use --dead to send them too, or name one by its id`,
        ]),
  ];
  report(done, lines.join("\n"), options, io);
  return EXIT.fine;
}

/** `tickwatch outbox drop`: the exit code. */
export async function drop(id: string, options: OutboxOptions, io: Io): Promise<number> {
  return await withOperatorDb(options.config, io, "write", async ({ outbox }) => {
    const entry = await theOne(id, outbox, io);
    if (entry === null) return EXIT.usage;
    if (!(await dropMessage(entry, actor(), systemClock().now(), outbox))) {
      const state = entry.state === "dead" ? "dropped already" : "delivered, or on its way";
      io.err(`tickwatch: ${entry.id} is ${state}; nothing was dropped\n`);
      return EXIT.found;
    }
    report(
      { dropped: entry.id },
      `${entry.id} for ${entry.channel} was dropped; \`tickwatch outbox retry ${entry.id}\` restores it`,
      options,
      io,
    );
    return EXIT.fine;
  });
}

function actor(): Actor {
  return { by: authorOf(undefined), via: "command", comment: null };
}

function report(done: unknown, text: string, options: OutboxOptions, io: Io): void {
  print(options, io, { value: () => done, page: () => text });
}

/** A shorter beginning of an id would be a guess. */
const SHORTEST_ID = 4;

/** The entry with this id; says on `err` when it is none or not one alone. `channels`: it might be one of these. */
async function theOne(
  id: string,
  outbox: Outbox,
  io: Io,
  channels?: readonly string[],
): Promise<OutboxEntry | null> {
  const found = id.length < SHORTEST_ID ? [] : await outbox.find(id);
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  const said = cleanText(id, 40);
  if (first !== undefined) {
    io.err(
      `tickwatch: ${countOf(found.length, "message")} begin with ${said}; give more of the id\n`,
    );
    return null;
  }
  const near = channels === undefined ? null : nearest(id, channels);
  const what = channels === undefined ? "message" : "channel and no message";
  const hint = near === null ? "`tickwatch outbox list` shows the ids" : `did you mean ${near}?`;
  io.err(`tickwatch: there is no ${what} ${said}; ${hint}\n`);
  return null;
}
