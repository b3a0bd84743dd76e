import type { Rule } from "../../src/model/index.ts";

/** What a round says of one alert, for the reference of its life. */
export interface RefRound {
  readonly date: number;
  /** What `when` says; null: no value. */
  readonly truth: boolean | null;
  /** Something holds its notices back. */
  readonly quiet: boolean;
  /** Its gates let it fire. */
  readonly open: boolean;
  /** For rules with `worse_by`: what it is measured on; higher is worse. */
  readonly value?: number | null;
}

export interface RefTold {
  readonly date: number;
  readonly kind: string;
}

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

/**
 * The life of an alert as docs/rules.md tells it, slow and obvious: nothing is kept but the rounds, when
 * it fired and resolved, and what was told; everything else is looked up in these from the beginning.
 * For state rules that are due every minute, without `resolve_when`.
 */
export function referenceLife(
  rule: Pick<
    Rule,
    "forMs" | "resolveAfterMs" | "cooldownMs" | "remind" | "flapping" | "missingAfterMs" | "once"
  >,
  rounds: readonly RefRound[],
  worseBy = Number.POSITIVE_INFINITY,
): readonly RefTold[] {
  const turns: { date: number; fires: boolean; held: number }[] = [];
  const told: RefTold[] = [];
  const tell = (date: number, kind: string): void => void told.push({ date, kind });
  const lastTold = (...kinds: string[]): RefTold | undefined =>
    told.findLast(({ kind }) => kinds.includes(kind));

  for (const [index, round] of rounds.entries()) {
    const { date, truth, quiet, open } = round;
    const seen = rounds.slice(0, index + 1);
    if (rule.once && lastTold("resolved") !== undefined) continue;

    // No data: three rounds in a row without a value, and missing_after since the last with one.
    const valued = seen.findLastIndex((one) => one.truth !== null);
    const blindRounds = index - valued;
    const blindFor = date - (seen[Math.max(valued, 0)]?.date ?? date);
    const blind = blindRounds >= 3 && blindFor >= rule.missingAfterMs;
    const believedBlind = lastTold("no_data", "data_back")?.kind === "no_data";
    if (!quiet && blind && !believedBlind) tell(date, "no_data");
    if (!quiet && truth !== null && believedBlind) tell(date, "data_back");

    // What is: since when the condition has been what it is, in rounds with a value.
    const fires = turns.at(-1)?.fires ?? false;
    const since = heldSince(seen, turns.at(-1)?.date ?? Number.NEGATIVE_INFINITY, fires);
    if (truth !== null && fires && !open) {
      const lapsed = seen.some(
        (one) => one.truth === false && one.date > (turns.at(-1)?.date ?? date),
      );
      const held = lapsed ? trueSince(seen) : (turns.at(-1)?.date ?? date) - rule.forMs;
      turns.push({ date, fires: false, held });
    } else if (truth === true && !fires && open && since !== null) {
      if (date - since >= rule.forMs) turns.push({ date, fires: true, held: date });
    } else if (truth === false && fires && since !== null) {
      if (date - since >= rule.resolveAfterMs) turns.push({ date, fires: false, held: date });
    }

    const firings = turns.filter((turn) => turn.fires).map((turn) => turn.date);
    const within = (ms: number): number => firings.filter((one) => one > date - ms).length;
    const now = turns.at(-1)?.fires ?? false;
    const last = lastTold("fired", "flapping", "resolved", "steady")?.kind ?? "resolved";
    const believed = last !== "resolved";
    if (last === "flapping") {
      const side = turns.at(-1)?.date ?? date;
      const settled =
        date - side >= rule.flapping.withinMs || within(2 * rule.flapping.withinMs) <= 2;
      if (quiet || truth === null) continue;
      if (settled) tell(date, now ? "steady" : "resolved");
      else if (date - (lastTold("flapping")?.date ?? date) >= DAY) tell(date, "flapping");
    } else if (quiet || truth === null) {
      // What was held back is told in a round that knows.
      continue;
    } else if (now && !believed) {
      const fired = lastTold("fired")?.date ?? Number.NEGATIVE_INFINITY;
      if (within(rule.flapping.withinMs) > rule.flapping.moreThan) tell(date, "flapping");
      else if (date - fired >= rule.cooldownMs) tell(date, "fired");
    } else if (!now && believed) {
      tell(date, "resolved");
    } else if (now && truth) {
      const begun = told.findLastIndex(({ kind }) => kind === "fired" || kind === "steady");
      const reminders = told.slice(begun).filter(({ kind }) => kind === "reminder").length;
      const gap = rule.remind[Math.min(reminders, rule.remind.length - 1)];
      // What is told of the data says nothing of how far it has gone.
      // It may have been told in a round without a value: then the next one is the first that counts.
      const values = told
        .slice(begun)
        .filter(({ kind }) => !/^(?:no_data|data_back)/.test(kind))
        .map(
          (one) => rounds.find((other) => other.date >= one.date && other.truth !== null)?.value,
        );
      const furthest = Math.max(...values.map(Number));
      if (round.value !== undefined && Number(round.value) >= furthest + worseBy) {
        tell(date, "worse");
      } else if (gap !== undefined && date - (told.at(-1)?.date ?? date) >= gap)
        tell(date, "reminder");
    }
  }
  return told;

  /** Since when `when` is the other of what made it as it is, over known rounds; null: it is not. */
  function heldSince(seen: readonly RefRound[], turned: number, fires: boolean): number | null {
    const wanted = !fires;
    let since: number | null = null;
    for (const one of seen.toReversed()) {
      if (one.truth === null) continue;
      if (one.truth !== wanted) break;
      // Since a gate closed on a condition that held, it counts from before.
      if (one.date < turned) break;
      // A gap of more than three intervals between known rounds begins anew.
      if (since !== null && since - one.date > 3 * MINUTE) return since;
      if (one.date === turned && !fires) return turns.at(-1)?.held ?? one.date;
      if (one.date === turned) break;
      since = one.date;
    }
    return since;
  }
}

/** Since when the condition has been true, in every round with a value. */
function trueSince(seen: readonly RefRound[]): number {
  const known = seen.filter(({ truth }) => truth !== null);
  const broken = known.findLastIndex(({ truth }) => truth !== true);
  return known[broken + 1]?.date ?? known.at(-1)?.date ?? 0;
}
