/** A history that was fetched for a backtest: what the service told of [first, last], epoch milliseconds. */
export interface CachedHistory {
  readonly first: number;
  readonly last: number;
  /** Packed by whoever put it. */
  readonly body: Buffer;
}

/** Histories that were fetched for backtests; windows of a daemon are never filled from them. */
export interface HistoryCache {
  /** Throws StoreError. */
  find(key: string): Promise<CachedHistory | null>;
  /** Replaces what was kept under the key; one short transaction. Throws StoreError. */
  put(key: string, history: CachedHistory, now: number): Promise<void>;
  close(): void;
}
