/** A block and when it was made (epoch ms). */
export interface Mark {
  readonly number: number;
  readonly time: number;
}

/** Looks of the quick search; what is not found by then is halved. */
const QUICK = 6;

/**
 * The first block at or after `time` (epoch ms), by interpolation between `low`, a block before it, and
 * `high`, a block at or after it: 3 to 4 looks where blocks come regularly, and never more than halving
 * takes, twice. `look` tells the times of a block and of the one before it. Times never fall from one block
 * to the next. Rejects as `look` does.
 */
export async function firstBlockAt(
  time: number,
  low: Mark,
  high: Mark,
  look: (number: number) => Promise<{ readonly before: number; readonly at: number }>,
): Promise<number> {
  let [from, to] = [low, high];
  for (let looks = 0; to.number - from.number > 1; looks += 1) {
    const number = looks < QUICK || looks % 2 === 0 ? between(from, to, time) : middle(from, to);
    const { before, at } = await look(number);
    if (at < time) from = { number, time: at };
    else if (before < time || number - 1 === from.number) return number;
    else to = { number: number - 1, time: before };
  }
  return to.number;
}

/** Where the first block at or after `time` would be if blocks came evenly. */
function between(from: Mark, to: Mark, time: number): number {
  const span = to.number - from.number;
  const share = to.time > from.time ? (time - from.time) / (to.time - from.time) : 1;
  const guess = from.number + Math.ceil(span * share);
  return Math.min(Math.max(guess, from.number + 1), to.number - 1);
}

function middle(from: Mark, to: Mark): number {
  return from.number + Math.floor((to.number - from.number) / 2);
}
