import { chainById, chainName } from "../../base/chains.ts";
import { cleanText, shortId } from "../../base/text.ts";
import type { Answer, Ask, RawRecord, Subject, Value } from "../../model.ts";
import { answerTrouble } from "../fields.ts";
import { pairLabel, pairOf, sideOf, tokenDecimals, unitOf } from "../tokens.ts";
import { poolField } from "../v4-pool.ts";
import type {
  Answers,
  Description,
  Entry,
  Metric,
  Reading,
  Row,
  StreamReading,
  WatchKind,
} from "../watch.ts";
import { type Followed, firstWant, follow } from "./follow.ts";
import { type ListSpec, lacking, pageAsk, readPage } from "./pages.ts";
import type { PoolSource } from "./pool-facts.ts";

/** What is made of the new entries of a pool's list. */
export interface PoolStream {
  readonly kind: string;
  readonly list: ListSpec;
  readonly pool: PoolSource;
  /** The entry's field with the hash of its transaction. */
  readonly transaction: string;
  readonly metrics: ReadonlyMap<string, Metric>;
  /**
   * How the values of new entries are read, oldest first; `pool` has both tokens and the pool's state
   * as a V4 pool's record has them, and is null while nothing is known of it.
   */
  values(
    entries: readonly RawRecord[],
    pool: RawRecord | null,
  ): readonly ((metric: string) => Value | null)[];
}

/** A watch kind that follows a list of a pool: each of its entries is told of once. */
export function poolStream(spec: PoolStream): WatchKind {
  const { kind, list, pool, metrics } = spec;
  const pages = (subject: Subject, answers: Answers, cursor: string | null, over: boolean) =>
    follow((want) => readPage(list, answers(askOf(list, subject, want))), cursor, over);
  return {
    kind,
    targets: { key: "pools", id: pool.id, protocols: null },
    bucketMs: null,
    stream: true,
    metrics,
    records: [list.record],

    subject: ({ chainId, id, name }) => {
      const address = (id ?? "").toLowerCase();
      return { key: `${kind}:${chainId}:${address}`, kind, chainId, ids: { pool: address }, name };
    },

    asks: (subject, _date, cursor = null) => [askOf(list, subject, firstWant(cursor))],

    follow: (subject, answers, cursor = null) => {
      const step = pages(subject, answers, cursor, false);
      if (step.status === "asking") return step.wants.map((want) => askOf(list, subject, want));
      if (step.status === "failed" || !needsPool(step)) return [];
      return [...pool.facts(subject, answers), ...pool.asks(subject, answers)];
    },

    facts: (subject, answers) => pool.facts(subject, answers),

    read: (subject, answers, _date, cursor = null) =>
      new PoolStreamReading(spec, subject, answers, cursor, pages(subject, answers, cursor, true)),
  };
}

function askOf(list: ListSpec, { chainId, ids }: Subject, want: ReturnType<typeof firstWant>): Ask {
  return pageAsk(list, chainId, ids.pool ?? "", want);
}

/** The first answer needs the pool's name, and new entries need its tokens. */
function needsPool(step: Extract<Followed<RawRecord>, { status: "read" }>): boolean {
  return step.baseline || step.fresh.length > 0;
}

/** It has no values of its own: what is to be told of is in the entries. */
const NO_VALUES: Row = { date: null, value: () => null };

class PoolStreamReading implements Reading {
  readonly rows: readonly Row[];
  readonly trouble: string | null;
  readonly absent: boolean;
  readonly unanswered: Ask["record"] | null;
  readonly closed = false;
  readonly stream: StreamReading | null;
  readonly #pool: RawRecord | null;

  constructor(
    private readonly spec: PoolStream,
    private readonly subject: Subject,
    answers: Answers,
    cursor: string | null,
    step: Followed<RawRecord>,
  ) {
    this.#pool = spec.pool.record(subject, answers);
    const failed = step.status === "read" ? failedOf(spec.pool, subject, answers, step) : null;
    const page = answers(askOf(spec.list, subject, firstWant(cursor)));
    this.absent = page?.status === "absent";
    if (step.status === "read" && failed === null) {
      this.trouble = null;
      this.unanswered = null;
      this.stream = {
        entries: entriesOf(spec, subject, step, this.#pool),
        cursor: step.cursor,
        from: cursor,
        gap: step.gap,
      };
      this.rows = [NO_VALUES];
      return;
    }
    // What a pool is worth may be what a rule asks for: its entries wait until that is known.
    const answered = page?.status === "ok" && step.status !== "read";
    this.trouble =
      failed?.trouble ?? (answered ? "a page was not to be read" : answerTrouble(page));
    this.unanswered = failed?.record ?? (this.absent ? null : spec.list.record);
    this.stream = null;
    this.rows = [];
  }

  marks(): [] {
    return [];
  }

  decimals(name: string): number | null {
    const side = sideOf(this.spec.metrics.get(name)?.quantity);
    return side === null ? null : tokenDecimals(this.#pool, side);
  }

  describe(): Description {
    const { chainId, ids, name } = this.subject;
    const address = ids.pool ?? "";
    const pair = pairOf(this.#pool, chainId);
    const given = name === null ? "" : cleanText(name);
    const symbols =
      pair !== null && this.#pool !== null ? pairLabel(pair, poolField(this.#pool, "fee")) : "";
    const explorer = chainById(chainId)?.explorer;
    const { page } = this.spec.pool;
    return {
      label: given || symbols || shortId(address),
      chain: chainName(chainId),
      link: explorer === undefined || page === null ? null : explorer + page(address),
      range: null,
      unit: (metric) => unitOf(pair, metric.replace(/_abs$/, "")),
    };
  }
}

/** What new entries need and could not be asked for now; what the service refuses is not known. */
function failedOf(
  pool: PoolSource,
  subject: Subject,
  answers: Answers,
  step: Extract<Followed<RawRecord>, { status: "read" }>,
): { readonly record: Ask["record"]; readonly trouble: string } | null {
  if (step.fresh.length === 0) return null;
  const asked = [...pool.facts(subject, answers), ...pool.asks(subject, answers)];
  for (const ask of asked) {
    const answer: Answer | undefined = answers(ask);
    if (answer?.status !== "failed" || answer.failure.reason === "refused") continue;
    return { record: ask.record, trouble: answer.failure.detail };
  }
  return null;
}

function entriesOf(
  spec: PoolStream,
  { chainId }: Subject,
  { fresh }: Extract<Followed<RawRecord>, { status: "read" }>,
  pool: RawRecord | null,
): readonly Entry[] {
  const readers = spec.values(
    fresh.map(({ item }) => item.value),
    pool,
  );
  // As they were shown before, those of them that lacked something.
  const earlier = fresh.some(({ lacked }) => lacked !== null)
    ? spec.values(
        fresh.map(({ item, lacked }) => lacking(spec.list, item.value, lacked ?? 0)),
        pool,
      )
    : [];
  const explorer = chainById(chainId)?.explorer;
  return fresh.map(({ id, item, lacked }, i) => {
    const hash = item.value[spec.transaction];
    const known = typeof hash === "string" && /^0x[0-9a-f]{64}$/i.test(hash);
    return {
      id,
      at: item.at,
      value: (metric) => readers[i]?.(metric) ?? null,
      earlier: lacked === null ? null : (metric) => earlier[i]?.(metric) ?? null,
      link: explorer !== undefined && known ? `${explorer}/tx/${hash.toLowerCase()}` : null,
    };
  });
}
