import { randomFrom } from "../support/random.ts";
import { type Death, deathText } from "./life.ts";
import type { Ending, Ran, RunPlan } from "./run.ts";

const EXACT = { pace: "patient", again: true, stretch: 1, groupWait: "0s", muted: true } as const;

export const UNDISTURBED: RunPlan = { ...EXACT, endings: [] };

/** Longer scenes: a round that is missed changes nothing of what is told. */
export const LONG: RunPlan = { ...UNDISTURBED, stretch: 6, muted: false };

/** Nothing waits for a mute. */
export const UNMUTED: RunPlan = { ...UNDISTURBED, muted: false };

/** One run for each moment of each step of the undisturbed run. */
export function constructed({ steps, arrivals }: Ran): RunPlan[] {
  const plans: RunPlan[] = [];
  const add = (death: Death): void => void plans.push({ ...EXACT, endings: [death] });
  for (const [step, most] of Object.entries(steps)) {
    for (let count = 1; count <= most; count += 1) {
      add({ step, count, moment: "before" });
      add({ step, count, moment: "after" });
    }
  }
  for (const channel of new Set(arrivals.map((one) => one.channel))) {
    const most = arrivals.filter((one) => one.channel === channel).length;
    for (let count = 1; count <= most; count += 1) {
      add({ step: `send ${channel}`, count, moment: "during" });
    }
  }
  return plans;
}

/** The start of a process takes about so long, its whole story another so much, in milliseconds. */
const START_MS = 400;
const STORY_MS = 500;

/** `count` runs in which daemons die by chance, up to four one after the other. */
export function atRandom(seed: number, count: number, { steps }: Ran): RunPlan[] {
  const random = randomFrom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const total = Object.values(steps).reduce((sum, most) => sum + most, 0);
  const ending = (): Ending => {
    if (below(4) === 0) return { afterMs: below(START_MS + STORY_MS) };
    // Half of them die young: a start that is cut short is followed by another start.
    const limit = below(2) === 0 ? 30 : total;
    return { step: null, count: 1 + below(limit), moment: below(2) === 0 ? "before" : "after" };
  };
  return Array.from({ length: count }, () => {
    const again = below(2) === 0;
    const pace = below(3) === 0 ? "patient" : "hurried";
    return {
      endings: Array.from({ length: 1 + below(4) }, ending),
      pace,
      again,
      stretch: again ? 1 : LONG.stretch,
      groupWait: below(2) === 0 ? "0s" : "5s",
      muted: again && pace === "patient",
    };
  });
}

/** Some of a list, the same for the same seed. */
export function sampleOf<T>(all: readonly T[], count: number, seed: number): T[] {
  const random = randomFrom(seed);
  const left = [...all];
  const taken: T[] = [];
  while (taken.length < count && left.length > 0) {
    taken.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return taken;
}

/** One line that names a run, and by which it can be found again. */
export function planText({ endings, pace, again, groupWait }: RunPlan): string {
  const deaths = endings.map((one) =>
    "afterMs" in one ? `after ${one.afterMs} ms` : deathText(one),
  );
  return [`killed ${deaths.join(", ")}`, pace, again ? "again" : "missed", groupWait].join("; ");
}
