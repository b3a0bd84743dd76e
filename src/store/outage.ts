import { BufferedChange } from "./buffered-change.ts";
import { type Store, StoreError } from "./store.ts";

/** What was done to the outbox and is still to be done in the store, in its order. */
export type Step = (store: Store) => Promise<void>;

/** What is still to be written: changes, and then steps. */
export interface Kept {
  readonly pending: BufferedChange;
  readonly steps: Step[];
}

/** What may have been written when the connection was lost, and how to find out: see StoreError.settled. */
export interface Doubt extends Kept {
  readonly settled: () => Promise<boolean>;
}

/** While the store cannot be written. */
export interface Outage {
  pending: BufferedChange;
  steps: Step[];
  /** Comes before all of it; null: nothing. */
  doubt: Doubt | null;
  /** What is just being written, and comes before `pending`; null: nothing is. */
  writing: BufferedChange | null;
  /** Why it goes on. */
  error: StoreError;
  /** Samples were given up, since there were too many of them. */
  lostSamples: boolean;
  /** What is owed, for those who deliver. */
  readonly outbox: Store;
  /** Commands that are carried out already, though the store does not say so yet. */
  readonly commands: Set<number>;
}

/** What is kept, in its order. */
export function keptIn({ doubt, writing, pending }: Outage): readonly BufferedChange[] {
  return [
    ...(doubt === null ? [] : [doubt.pending]),
    ...(writing === null ? [] : [writing]),
    pending,
  ];
}

/** Null where it is certain that nothing was written. */
export function doubtOf(error: unknown, { pending, steps }: Partial<Kept> = {}): Doubt | null {
  const settled = error instanceof StoreError ? error.settled : undefined;
  if (settled === undefined) return null;
  return { settled, pending: pending ?? new BufferedChange(), steps: steps ?? [] };
}
