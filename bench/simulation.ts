import { assign } from "../src/cluster/assign.ts";
import { SLOT_COUNT, slotName } from "../src/store/postgres/member-access.ts";
import type { Figure, FigureGroup } from "./figures.ts";
import { BATCH } from "./pools.ts";
import { spread } from "./spread.ts";

/** What is computed: so many subjects, each looked at once a minute, by so many daemons. */
const SUBJECTS = 1_000_000;
const DAEMONS = 10;
const ROUND_S = 60;
/** Other members' ids, and thus other assignments, so many times. */
const DRAWS = 20;
/** Of the cluster: leases are renewed three times, and looked at fifteen times, in fifteen seconds. */
const RENEWALS_A_SECOND = 1 / 5;
const LOOKS_A_SECOND = 1;
/** A slice holds so many alerts at most. */
const SLICE = 1_000;
/** The share of the values that are others in each round, and what such a row weighs with its index. */
const CHANGING = 0.2;
const BYTES_A_ROW = 114;

const NAMES = Array.from({ length: SLOT_COUNT }, (_, slot) => slotName(slot));

/** How a million subjects would be shared among ten daemons, by the code that shares them out. */
export const simulation: FigureGroup = async () => {
  const draws = Array.from({ length: DRAWS }, (_, at) => drawOf(at));
  const figure = (words: string, unit: string, values: readonly number[]): Figure => ({
    words: `${SUBJECTS} subjects on ${DAEMONS} daemons: ${words}`,
    value: spread(values),
    unit,
    bar: null,
  });
  const looks = SUBJECTS / ROUND_S;
  // The last slice of a round of each daemon is not full.
  const commits = (SUBJECTS / SLICE + DAEMONS) / ROUND_S;
  return [
    figure(
      "the fullest daemon to the mean",
      "times",
      draws.map(({ fullest }) => fullest),
    ),
    figure(
      "slots that move when one joins",
      `of ${SLOT_COUNT}`,
      draws.map(({ joined }) => joined),
    ),
    figure(
      "slots that move when one leaves",
      `of ${SLOT_COUNT}`,
      draws.map(({ left }) => left),
    ),
    figure("requests", "a second", [looks / BATCH]),
    figure("commits of slices", "a second", [commits]),
    figure("rows written", "a second", [looks]),
    figure("renewals of leases", "a second", [DAEMONS * RENEWALS_A_SECOND]),
    figure("looks at the leases", "a second", [DAEMONS * LOOKS_A_SECOND]),
    figure("new samples", "GB a day", [(looks * CHANGING * BYTES_A_ROW * 86_400) / 1e9]),
  ];
};

function drawOf(at: number): { fullest: number; joined: number; left: number } {
  const daemons = Array.from({ length: DAEMONS + 1 }, (_, one) => {
    return { id: `draw ${at}, daemon ${one}`, weight: 1 };
  });
  const before = assign(NAMES, daemons.slice(0, DAEMONS));
  const more = assign(NAMES, daemons);
  const fewer = assign(NAMES, daemons.slice(0, DAEMONS - 1));
  const counts = new Map<string, number>();
  for (const owner of before.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return {
    fullest: Math.max(...counts.values()) / (SLOT_COUNT / DAEMONS),
    joined: moved(before, more),
    left: moved(before, fewer),
  };
}

function moved(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): number {
  return [...one].filter(([name, owner]) => other.get(name) !== owner).length;
}
