import type { DaemonState } from "./daemon-view.ts";
import { type OpenReportsParts, openReports } from "./reports/open.ts";
import type { Reports } from "./reports/reports.ts";
import { openPhone } from "./telegram/open.ts";
import type { Phone, PhoneParts } from "./telegram/phone-parts.ts";

export interface HouseWorkParts extends Omit<OpenReportsParts & PhoneParts, "troubles" | "state"> {
  /** Null: the daemon is still starting. */
  readonly state: () => DaemonState | null;
}

/** What is done once, however many daemons share the work: reports, and commands from chats. */
export class HouseWork {
  readonly #parts: HouseWorkParts;
  #reports: Reports | null = null;
  #phone: Phone | null = null;
  #keeps = false;

  constructor(parts: HouseWorkParts) {
    this.#parts = parts;
  }

  get reports(): Reports | null {
    return this.#reports;
  }

  /** Whether it is this daemon that does it, from now on. */
  async keep(keeps: boolean): Promise<void> {
    if (keeps === this.#keeps) return;
    this.#keeps = keeps;
    if (!keeps) return await this.stop();
    await this.follow();
  }

  /** The configuration is another one. */
  async follow(): Promise<void> {
    if (!this.#keeps) return;
    const { setup, state } = this.#parts;
    const troubles = (): readonly string[] => state()?.troubles() ?? [];
    this.#reports ??= await openReports({ ...this.#parts, troubles });
    this.#reports?.follow();
    const its = state();
    if (this.#phone !== null) await this.#phone.follow(setup());
    else if (its !== null) this.#phone = await openPhone(setup(), { ...this.#parts, state: its });
  }

  async stop(): Promise<void> {
    const [reports, phone] = [this.#reports, this.#phone];
    this.#reports = null;
    this.#phone = null;
    await Promise.all([reports?.stop(), phone?.stop()]);
  }
}
