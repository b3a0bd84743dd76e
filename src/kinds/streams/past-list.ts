import { isMap } from "../../base/json.ts";
import type { RawRecord, Subject } from "../../model/index.ts";
import type { Beside, Entry, PastList, PastNews } from "../kind.ts";
import { type ListSpec, pageAsk, readPage } from "./pages.ts";
import type { PoolSource } from "./pool-facts.ts";

/** What of a pool's stream its past is read by. */
interface PastListSpec {
  readonly list: ListSpec;
  readonly pool: PoolSource;
  readonly madeOf: { readonly prices: readonly string[]; readonly state: readonly string[] };
  after?(pool: RawRecord, entries: readonly RawRecord[]): RawRecord;
}

/** An entry as it is offered to the rules. */
interface Offered {
  readonly id: string;
  readonly at: number | null;
  readonly rules: null;
  readonly record: RawRecord;
}

const TOKENS = ["token0", "token1"] as const;
/** What of the pool's state changes, and values of entries are made of. */
const STATE: readonly string[] = ["current_tick", "sqrt_price_x96", "liquidity"];

/**
 * The past of the list of a pool. What a round asked for besides, the pool and the prices of its tokens, is taken from
 * their histories.
 */
export function pastListOf(
  spec: PastListSpec,
  entriesOf: (
    subject: Subject,
    offered: readonly Offered[],
    pool: RawRecord | null,
  ) => readonly Entry[],
): PastList {
  const { list, pool, madeOf } = spec;
  return {
    page: ({ chainId, ids }, offset, limit) =>
      pageAsk(list, chainId, ids.pool ?? "", { offset, limit }),

    items: (answer) => {
      const page = readPage(list, answer);
      return page === undefined || page === "failed" ? null : page;
    },

    beside: (subject, today) => {
      const { chainId, ids } = subject;
      const target = { chainId, protocol: null, name: null };
      const record = pool.record(subject, today);
      const prices = TOKENS.flatMap((name): Beside[] => {
        const token = record?.[name];
        if (!isMap(token) || typeof token.address !== "string") return [];
        const of = madeOf.prices;
        const its = { ...target, id: token.address };
        return [{ name, kind: "token_price", target: its, metric: "price_usd", of }];
      });
      if (madeOf.state.length === 0) return prices;
      const id = ids.pool ?? "";
      const state = STATE.map((metric): Beside => {
        const of = madeOf.state;
        return { name: metric, kind: "v4_pool", target: { ...target, id }, metric, of };
      });
      return [...prices, ...state];
    },

    entries: (subject, today, news) => {
      const offered = news.items.map(({ id, at, value }) => ({
        id,
        at,
        rules: null,
        record: value,
      }));
      const record = pool.record(subject, today);
      const then = record === null ? null : poolThen(record, news);
      return entriesOf(
        subject,
        offered,
        then === null ? null : (spec.after?.(then, news.since) ?? then),
      );
    },
  };
}

/** The pool's record with what changes of it as it was. */
function poolThen(record: RawRecord, news: PastNews): RawRecord {
  const textOf = (name: string): string | null => news.value(name)?.toString() ?? null;
  const state = Object.fromEntries(STATE.map((name) => [name, textOf(name)]));
  const tokens = TOKENS.map((name) => {
    const token = record[name];
    return [name, isMap(token) ? { ...token, price: textOf(name) } : null] as const;
  });
  // Which of the changes it knows of is told by its time, and not by its block.
  return { ...record, ...state, ...Object.fromEntries(tokens), block_number: null };
}
