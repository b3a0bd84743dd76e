import { setFlagsFromString } from "node:v8";

/** The heap grows by at most so much between two collections of all of it. */
const GROWTH_PERCENT = 40;

/** Keeps the memory of a long-lived process small; to be called before it fills. */
export function keepHeapSmall(): void {
  // V8 must not make short-lived objects in its old space, where they stay for long and keep others
  // alive. It does so for the objects of a literal, and for good, when most of them were alive at one
  // collection: a round's objects wait for their slice, so that is a matter of chance, and a wrong
  // guess costs a third of the CPU and doubles the memory.
  setFlagsFromString("--no-allocation-site-pretenuring");
  // In each round new samples take the place of old ones, which V8 would let pile up until there are
  // several times as many as there are in use.
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
