import type { Setup } from "../model/index.ts";
import type { DaemonState } from "./daemon-view.ts";
import type { Reports, ReportsParts } from "./reports/reports.ts";
import type { Phone, PhoneParts } from "./telegram/phone.ts";

export interface HouseWorkParts extends Omit<OpenReportsParts & PhoneParts, "troubles" | "state"> {
  /** Null: the daemon is still starting. */
  readonly state: () => DaemonState | null;
}

/**
 * What is done once, however many daemons share the work: reports, by the one that keeps house, and the commands from
 * a chat, by the one that delivers to it.
 */
export class HouseWork {
  /** Null: it sends none. */
  reports: Reports | null = null;
  #phone: Phone | null = null;
  #keeps = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(private readonly parts: HouseWorkParts) {}

  /** Whether it is this daemon that keeps house, from now on; it may deliver to other channels as well. */
  async keep(keeps: boolean): Promise<void> {
    this.#keeps = keeps;
    await this.follow();
  }

  /** The configuration is another one. */
  follow(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#followReports();
      await this.#followPhone();
    });
  }

  stop(): Promise<void> {
    return this.#inTurn(async () => {
      const [reports, phone] = [this.reports, this.#phone];
      this.reports = null;
      this.#phone = null;
      await Promise.all([reports?.stop(), phone?.stop()]);
    });
  }

  /** A reload and a change of hands come when they come: each begins where the one before has ended. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #followReports(): Promise<void> {
    if (!this.#keeps) {
      const reports = this.reports;
      this.reports = null;
      return await reports?.stop();
    }
    const { state } = this.parts;
    const troubles = (): readonly string[] => state()?.troubles() ?? [];
    this.reports ??= await openReports({ ...this.parts, troubles });
    this.reports?.follow();
  }

  async #followPhone(): Promise<void> {
    const { setup, state } = this.parts;
    const its = state();
    if (this.#phone !== null) await this.#phone.follow(setup());
    else if (its !== null) this.#phone = await openPhone(setup(), { ...this.parts, state: its });
  }
}

interface OpenReportsParts extends ReportsParts {
  /** Resolves once the start is told. */
  readonly begun: Promise<void>;
}

/** What is not asked for costs nothing: its code is not even loaded. Null: the configuration has no report. */
async function openReports({ begun, ...parts }: OpenReportsParts): Promise<Reports | null> {
  if (parts.setup().reports.length === 0) return null;
  const { startReports } = await import("./reports/reports.ts");
  const started = startReports(parts);
  void begun.then(() => started.begin());
  return started;
}

/** The code is loaded with the first chat that may give commands. */
async function openPhone(setup: Setup, parts: PhoneParts): Promise<Phone> {
  let reading: Phone | null = null;
  const follow = async (next: Setup): Promise<void> => {
    if (reading !== null) await reading.follow(next);
    else if (hasCommands(next)) {
      const { startPhone } = await import("./telegram/phone.ts");
      reading = startPhone(next, parts);
    }
  };
  await follow(setup);
  return { follow, stop: async () => reading?.stop() };
}

function hasCommands({ channels }: Setup): boolean {
  return channels.some(
    ({ kind, settings }) =>
      kind === "telegram" &&
      typeof settings === "object" &&
      settings !== null &&
      "commands" in settings &&
      settings.commands !== undefined,
  );
}
