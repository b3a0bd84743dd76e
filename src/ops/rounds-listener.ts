import type { Log } from "../base/log.ts";
import type { OnRoundsEvent } from "../commit/committer.ts";
import type { AddressedNotice } from "../commit/notices.ts";
import type { RoundRecord } from "../model/index.ts";
import type { DecidedWork } from "../poll/plan.ts";
import { StoreError } from "../store/store.ts";
import type { DaemonWeb } from "./daemon-web.ts";
import type { Reports } from "./reports/reports.ts";
import { logMissing } from "./upkeep.ts";
import type { Meter } from "./web/meter.ts";

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
