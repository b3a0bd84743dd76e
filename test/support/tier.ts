/**
 * `npm test` is one short pass over everything that is promised, for whoever is at work; `npm run test:all` tries
 * every fault, every kill and every generated case. CONTRIBUTING.md says which is which.
 */
export const WHOLE = process.env.TEST_TIER === "all";

/** The property's runs: all of `count`, or in the short pass as few as still look at each of its sides. */
export function propertyRuns(count: number): number {
  return WHOLE ? count : Math.min(count, Math.max(LEAST_RUNS, Math.ceil(count / SHARE)));
}

const LEAST_RUNS = 4;
const SHARE = 16;

/**
 * All of the cases, or in the short pass those that stand for the others, by name. Throws RangeError for a name
 * that none of them has, so that a case that is renamed is not left out from then on.
 */
export function pass<Case extends { readonly name: string }>(
  cases: readonly Case[],
  ...names: readonly string[]
): readonly Case[] {
  for (const name of names) {
    if (!cases.some((one) => one.name === name)) throw new RangeError(`no case is called ${name}`);
  }
  return WHOLE ? cases : cases.filter((one) => names.includes(one.name));
}
