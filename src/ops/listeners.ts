import type { Log } from "../base/log.ts";
import type { Outcome } from "../channels/channel.ts";
import type { OnRoundsEvent } from "../commit/committer.ts";
import type { OnDeliveryEvent } from "../delivery/event.ts";
import { createHttpSource } from "../fetch/http.ts";
import type { Source } from "../fetch/source.ts";
import type {
  AddressedNotice,
  Failure,
  Message,
  Notice,
  RoundRecord,
  Setup,
} from "../model/index.ts";
import type { DecidedWork } from "../poll/plan.ts";
import { StoreError } from "../store/store.ts";
import type { DaemonWeb } from "./daemon-web.ts";
import type { Reports } from "./reports/reports.ts";
import type { SelfNotices } from "./self-notices.ts";

/** Is told of the daemon's work as it is done, to count it: cheap, and never throws. */
export interface Meter {
  /** A request was sent and has ended; null: with an answer. Retries are requests of their own. */
  request(endpoint: string, failure: Failure["reason"] | null): void;
  round(record: RoundRecord): void;
  /** Notices are owed from now on. */
  notices(notices: readonly Notice[]): void;
  delivery(channel: string, outcome: Outcome["status"]): void;
  /** So many notices were dropped while a silence or a mute held them back. */
  dropped(channel: string, count: number): void;
  /** A channel rejects everything or cannot be reached, or works again. */
  parked(channel: string, refuses: boolean): void;
  /** The store refused a commit. */
  refused(): void;
}

/** Nobody looks: nothing is counted. */
export const NO_METER: Meter = {
  request: () => {},
  round: () => {},
  notices: () => {},
  delivery: () => {},
  dropped: () => {},
  parked: () => {},
  refused: () => {},
};

/** Who asked to be told of what the rounds do. */
interface Told {
  readonly onDecided?: (decided: readonly DecidedWork[]) => void;
  readonly onRound?: (record: RoundRecord) => void;
  readonly onNotices?: (tellings: readonly AddressedNotice[]) => void;
  readonly onFatal?: (error: unknown) => void;
}

export interface ListenerParts {
  /** The start is told. */
  readonly begin: () => void;
  readonly web: () => DaemonWeb | null;
  readonly reports: () => Reports | null;
  readonly meter: () => Meter;
  readonly log: Log;
  /** There may be something to send. */
  readonly poke: () => void;
  readonly told: Told;
}

/** Passes on what the rounds tell of, to those who count, show, deliver or asked for it. */
export function roundsListener({
  begin,
  web,
  reports,
  meter,
  log,
  poke,
  told,
}: ListenerParts): OnRoundsEvent {
  return (event) => {
    if (event.kind === "started") begin();
    else if (event.kind === "judged") {
      web()?.see(event.decided);
      reports()?.see(event.decided);
    } else if (event.kind === "carried_out") web()?.touch();
    else if (event.kind === "decided") {
      logMissing(event.decided, log);
      told.onDecided?.(event.decided);
    } else if (event.kind === "notices") {
      meter().notices(event.notices.map(({ notice }) => notice));
      told.onNotices?.(event.notices);
      poke();
    } else if (event.kind === "round") {
      meter().round(event.record);
      web()?.touch();
      told.onRound?.(event.record);
    } else {
      // A fault in one round must not end the watching of everything else; another daemon does.
      meter().refused();
      log.error({ err: event.error }, "a commit failed: its round is evaluated again");
      if (event.error instanceof StoreError) told.onFatal?.(event.error);
    }
  };
}

export interface SourceListeners {
  readonly log: Log;
  readonly meter: () => Meter;
  readonly web: () => DaemonWeb | null;
}

/** Opens the service of a setup over HTTP; `given` is used in its place if there is one. */
export function sourceOpener(
  given: Source | undefined,
  { log, meter, web }: SourceListeners,
): (setup: Setup) => Source {
  return ({ service }) =>
    given ??
    createHttpSource({
      ...service,
      log: (message, fields) => log.debug(fields, message),
      warn: (message, fields) => log.warn(fields, message),
      onRequest: (endpoint, failure, ms) => {
        meter().request(endpoint, failure);
        web()?.request(endpoint, failure, ms ?? null);
      },
    });
}

export interface DeliveryListenerParts {
  readonly meter: () => Meter;
  readonly web: () => DaemonWeb | null;
  readonly self: () => Pick<SelfNotices, "channel">;
  /** A message was sent, and that was written down. */
  readonly told: { readonly onDelivered?: (message: Message) => void };
}

/** What comes of deliveries is counted, and news for the page; people hear of a channel through the others. */
export function deliveryListener({
  meter,
  web,
  self,
  told,
}: DeliveryListenerParts): OnDeliveryEvent {
  return (event) => {
    if (event.kind === "ended") {
      const { message, status } = event;
      meter().delivery(message.channel, status);
      web()?.outcome(message.channel, status);
      if (status === "sent") told.onDelivered?.(message);
    } else if (event.kind === "dropped") {
      meter().dropped(event.channel, event.count);
    } else {
      const { channel, trouble, isNews } = event;
      meter().parked(channel, trouble !== null);
      web()?.channel(channel, trouble);
      if (isNews) self().channel(channel, trouble);
    }
  };
}

/**
 * Good answers in which a value is missing get a line when that begins, one for each way in which
 * it is missing; requests that fail have lines of their own.
 */
function logMissing(decided: readonly DecidedWork[], log: Log): void {
  const found = new Map<string, { subject: string; count: number }>();
  for (const { work, reading, decision } of decided) {
    if (!reading.absent && reading.rows.length === 0) continue;
    if (!decision.alerts.some(({ alert }) => alert.missing?.rounds === 1)) continue;
    const detail = reading.trouble ?? "no value";
    const known = found.get(detail);
    if (known === undefined) found.set(detail, { subject: work.subject.key, count: 1 });
    else known.count += 1;
  }
  for (const [detail, fields] of found) log.warn({ ...fields, detail }, "values are missing");
}
