import { chainById } from "../../base/chains.ts";
import type { Ask, EntryWords, RawRecord, Subject, Value } from "../../model/index.ts";
import { answerTrouble, BaseReading, fieldsOf } from "../fields.ts";
import type { Answers, Entry, Metric, Row, StreamReading, WatchKind } from "../kind.ts";
import { pairOf, sideOf, tokenDecimals, unitOf } from "../tokens.ts";
import { poolLabel } from "../v4-pool.ts";
import { type Followed, firstWant, follow } from "./follow.ts";
import { type ListSpec, pageAsk, readPage, rejoining } from "./pages.ts";
import { pastListOf } from "./past-list.ts";
import { type PoolSource, unmetOf } from "./pool-facts.ts";
import {
  isWaiting,
  type Needs,
  type Offered,
  offer,
  readPatience,
  settle,
  withPatience,
} from "./waiting.ts";

/** What is made of the new entries of a pool's list. */
export interface PoolStream {
  readonly kind: string;
  readonly aliases: readonly string[];
  readonly entry: EntryWords;
  readonly list: ListSpec;
  readonly pool: PoolSource;
  /** The entry's field with the hash of its transaction. */
  readonly transaction: string;
  readonly metrics: ReadonlyMap<string, Metric>;
  /** What entries tell depends on all that came after them. */
  readonly sequence?: true;
  /** Metrics that the prices of both tokens make, and those that the pool's state makes. */
  readonly madeOf: { readonly prices: readonly string[]; readonly state: readonly string[] };
  /** The pool after changes that came after its record; absent: they are nothing to it. */
  after?(pool: RawRecord, entries: readonly RawRecord[]): RawRecord;
  /** What a pool does not tell of what values are made of, in clean words; null: it tells all. */
  readonly lacks: (pool: RawRecord | null) => string | null;
  /**
   * How the values of new entries are read, oldest first; `pool` has both tokens and the pool's state
   * as a V4 pool's record has them, and is null while nothing is known of it.
   */
  values(
    entries: readonly RawRecord[],
    pool: RawRecord | null,
  ): readonly ((metric: string) => Value | null)[];
}

/** A watch kind that follows a list of a pool: each of its entries is notified once. */
export function poolStream(spec: PoolStream): WatchKind {
  const { kind, aliases, entry, list, pool, metrics } = spec;
  const pages = (subject: Subject, answers: Answers, cursor: string | null, over: boolean) =>
    follow((want) => readPage(list, answers(askOf(list, subject, want))), cursor, over);
  return {
    kind,
    aliases,
    words: { subjects: "pools", entry },
    targets: { key: "pools", id: pool.id, protocols: null },
    bucketMs: null,
    stream: "grows",
    metrics,
    records: [list.record],

    subject: ({ chainId, id, name }) => {
      const address = (id ?? "").toLowerCase();
      return { key: `${kind}:${chainId}:${address}`, kind, chainId, ids: { pool: address }, name };
    },

    asks: (subject, _date, cursor = null) => {
      const page = askOf(list, subject, firstWant(cursor));
      // What entries wait for is wanted whatever the page shows.
      return isWaiting(cursor) ? [page, ...pool.asks(subject, () => undefined)] : [page];
    },

    follow: (subject, answers, cursor = null) => {
      const step = pages(subject, answers, cursor, false);
      if (step.status === "asking") return step.wants.map((want) => askOf(list, subject, want));
      if (step.status === "failed" || !(needsPool(step) || isWaiting(cursor))) return [];
      const more = isWaiting(cursor) ? pool.again(subject, answers) : [];
      return [...pool.facts(subject, answers), ...more, ...pool.asks(subject, answers)];
    },

    facts: (subject, answers) => pool.facts(subject, answers),

    pastList: pastListOf(spec, (subject, offered, record) =>
      entriesOf(spec, subject, offered, record),
    ),

    read: (subject, answers, date, cursor = null) => {
      const step = pages(subject, answers, cursor, true);
      return new PoolStreamReading(spec, subject, answers, date, cursor, step);
    },
  };
}

function askOf(list: ListSpec, { chainId, ids }: Subject, want: ReturnType<typeof firstWant>): Ask {
  return pageAsk(list, chainId, ids.pool ?? "", want);
}

/** The first answer needs the pool's name, and new entries need its tokens. */
function needsPool(step: Extract<Followed<RawRecord>, { status: "read" }>): boolean {
  return step.baseline || step.fresh.length > 0;
}

/** It has no values of its own; the notices are about the entries. */
const NO_VALUES: Row = { date: null, value: () => null };

class PoolStreamReading extends BaseReading {
  readonly rows: readonly Row[];
  readonly #trouble: string | null;
  readonly #unanswered: Ask["record"] | null;
  readonly stream: StreamReading | null;
  readonly #pool: RawRecord | null;

  constructor(
    private readonly spec: PoolStream,
    subject: Subject,
    answers: Answers,
    date: number,
    cursor: string | null,
    step: Followed<RawRecord>,
  ) {
    super(subject, spec.list.record, answers(askOf(spec.list, subject, firstWant(cursor))));
    const { answer } = this;
    this.#pool = spec.pool.record(subject, answers);
    if (step.status === "read") {
      const { gap } = step;
      const patience = readPatience(cursor);
      const offered = offer(patience, step.fresh, date, rejoining(spec.list));
      const unmet =
        offered.length === 0 ? null : unmetOf(spec.pool, subject, answers, spec.lacks(this.#pool));
      const { blind } = patience;
      this.#trouble =
        unmet?.trouble ?? (isIdle(offered, blind) ? "no entry could be judged" : null);
      this.#unanswered = unmet?.record ?? null;
      const broken = spec.sequence === true && gap !== null;
      // What came after those that wait is not all known: nothing can be made of them any more.
      const tested = broken ? offered.filter(({ rules }) => rules === null) : offered;
      const needs: Needs = {
        date,
        trouble: unmet?.trouble ?? null,
        fields: Object.keys(fieldsOf(spec.list.record)),
        sequence: spec.sequence === true,
        broken,
      };
      this.stream = {
        entries: entriesOf(spec, subject, tested, this.#pool),
        cursor: withPatience(step.cursor, { ...patience, waiting: [] }),
        from: cursor,
        gap,
        blind,
        settle: (verdicts) => settle(step.cursor, offered, patience, verdicts, needs),
      };
      this.rows = [NO_VALUES];
      return;
    }
    const answered = answer?.status === "ok";
    this.#trouble = answered ? "a page was not to be read" : answerTrouble(answer);
    this.#unanswered = this.absent ? null : spec.list.record;
    this.stream = null;
    this.rows = [];
  }

  override get trouble(): string | null {
    return this.#trouble;
  }

  override get unanswered(): Ask["record"] | null {
    return this.#unanswered;
  }

  protected troublesOf(): [] {
    return [];
  }

  override decimals(name: string): number | null {
    const side = sideOf(this.spec.metrics.get(name)?.quantity);
    return side === null ? null : tokenDecimals(this.#pool, side);
  }

  protected label(): string {
    return poolLabel(this.#pool, this.subject);
  }

  protected override page(): string | null {
    return this.spec.pool.page?.(this.subject.ids.pool ?? "") ?? null;
  }

  protected override unit(metric: string): string {
    return unitOf(pairOf(this.#pool, this.subject.chainId), metric.replace(/_abs$/, ""));
  }
}

/** Whether nothing is there to be tested, while rules are blind. */
function isIdle(offered: readonly Offered[], blind: readonly string[]): boolean {
  return offered.length === 0 && blind.length > 0;
}

function entriesOf(
  spec: PoolStream,
  { chainId }: Subject,
  offered: readonly Pick<Offered, "id" | "at" | "rules" | "record">[],
  pool: RawRecord | null,
): readonly Entry[] {
  const readers = spec.values(
    offered.map(({ record }) => record),
    pool,
  );
  const explorer = chainById(chainId)?.explorer;
  return offered.flatMap(({ id, at, rules, record }, i) => {
    // It is there for others only.
    if (rules?.length === 0) return [];
    const hash = record[spec.transaction];
    const known = typeof hash === "string" && /^0x[0-9a-f]{64}$/i.test(hash);
    return [
      {
        id,
        at,
        value: (metric: string) => readers[i]?.(metric) ?? null,
        rules,
        link: explorer !== undefined && known ? `${explorer}/tx/${hash.toLowerCase()}` : null,
      },
    ];
  });
}
