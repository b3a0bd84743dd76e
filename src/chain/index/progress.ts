import { DAY, HOUR } from "../../base/duration.ts";
import { hourAt } from "../gas/gas-table.ts";
import { GAS_DAYS } from "../gas/past.ts";
import type { ChainTables } from "./chain-tables.ts";
import { type Progress, RemainingTime } from "./progress-table.ts";

/** Reckons how far the past of a chain was read, and how long the rest takes. */
export class ProgressReckoning {
  readonly #remaining: RemainingTime;

  /** `elapsed`: milliseconds of a clock that is never set. */
  constructor(
    private readonly tables: ChainTables,
    elapsed: () => number,
  ) {
    this.#remaining = new RemainingTime(elapsed);
  }

  /** What is not done yet. `isGasDone`: there is no more of it to be had. */
  open(isGasDone: boolean): readonly Progress[] {
    const { sources, blocks } = this.tables;
    const newest = blocks.newest();
    if (newest === undefined) return [];
    const waiting = sources.all().flatMap((source) => {
      const { last, first } = source;
      return last === null ? [] : [{ ...source, done: last - first + 1 }];
    });
    const pools = waiting.filter(({ kind }) => kind === "v3" || kind === "v4");
    const tokens = waiting.filter(({ kind }) => kind === "transfers");
    const sum = (each: (source: (typeof pools)[number]) => number): number =>
      pools.reduce((all, source) => all + each(source), 0);
    return [
      ...(pools.length === 0
        ? []
        : [
            this.#of(
              pools.length === 1 ? "logs of a pool" : `logs of ${pools.length} pools`,
              "logs",
              sum(({ done }) => done),
              sum(({ first }) => newest.number - first + 1),
            ),
          ]),
      ...tokens.map(({ id, done, first }) =>
        this.#of(`transfers of ${id}`, id, done, newest.number - first + 1),
      ),
      ...(isGasDone ? [] : [this.#gas(newest.time)]),
    ];
  }

  #gas(newest: number): Progress {
    const { gas, borders } = this.tables;
    const last = hourAt(newest) - HOUR;
    const from = Math.max(borders.begin() ?? 0, hourAt(last - GAS_DAYS * DAY));
    const whole = Math.max(1, (last - from) / HOUR + 1);
    return this.#of(`gas of ${GAS_DAYS} days`, "gas", gas.known(from, last).size, whole);
  }

  #of(work: string, key: string, done: number, whole: number): Progress {
    return { work, ...this.#remaining.of(key, done, whole) };
  }
}
