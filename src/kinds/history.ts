import type { Answer, Ask, RawRecord, Subject, Value } from "../model/index.ts";
import { PERIODS, type Period, pointsUntil } from "./bucket-time.ts";
import { BaseReading, type Fields, fieldTroubles, valueIn } from "./fields.ts";
import type { Answers, Metric, Row, Target, WatchKind } from "./kind.ts";

/** So many points are asked for: the newest, and enough for windows when a rule is new. */
const LIMITS: Readonly<Record<Period, number>> = { h: 48, d: 10 };

/** The option of histories: points of hours or of days. */
const OPTIONS = { period: { kind: "word", values: ["h", "d"], default: "h" } } as const;

/** What a subject of a history is to people, beside the name that the rule may give it. */
export interface HistorySubject {
  /** Clean. */
  readonly label: string;
  /** Below the explorer's address; null where it has none. */
  readonly page: string | null;
  decimals(metric: string): number | null;
  /** `newest`: the record of the newest point. */
  unit(metric: string, newest: RawRecord | null): string;
}

/** What the histories do not have in common. */
export interface HistorySpec {
  /** The word in rules; points of days have a kind of their own behind it. */
  readonly kind: string;
  readonly words: WatchKind["words"];
  readonly targets: WatchKind["targets"];
  readonly records: WatchKind["records"];
  readonly metrics: ReadonlyMap<string, Metric>;
  /** The contract's fields of a point, by the names that its record has. */
  readonly fields: Fields;
  /** A metric's name in the record. */
  fieldOf(metric: string): string;
  /** Metrics of a point that cannot be true, and why in clean words. */
  doubts(record: RawRecord): ReadonlyMap<string, string>;
  ids(id: string): Subject["ids"];
  recordOf(subject: Subject): Ask["record"];
  idOf(subject: Subject): string;
  facts(subject: Subject, answers: Answers): readonly Ask[];
  /** The facts that the first ones show to be needed; nothing once they are answered. */
  follow(subject: Subject, answers: Answers): readonly Ask[];
  describe(subject: Subject, answers: Answers): HistorySubject;
}

/** The kind of a history's points of one period. */
export function historyKind(spec: HistorySpec, period: Period): WatchKind {
  const askOf = (subject: Subject): Ask => {
    const { key, chainId } = subject;
    const record = spec.recordOf(subject);
    return { key, record, chainId, id: spec.idOf(subject), period, limit: LIMITS[period] };
  };
  const { kind, words, records, metrics } = spec;
  return {
    kind: nameOf(kind, period),
    ...(period === "h" ? {} : { variantOf: kind }),
    words,
    targets: { ...spec.targets, options: OPTIONS },
    bucketMs: PERIODS[period],
    records,
    ownTime: "date",
    metrics,
    subject: (target) => subjectOf(spec, target),
    asks: (subject) => [askOf(subject)],
    follow: (subject, answers) => spec.follow(subject, answers),
    facts: (subject, answers) => spec.facts(subject, answers),
    read: (subject, answers, date) => {
      const answer = answers(askOf(subject));
      return new HistoryReading(spec, subject, answer, period, date, () =>
        spec.describe(subject, answers),
      );
    },
  };
}

function nameOf(kind: string, period: string | undefined): string {
  return period === "d" ? `${kind}_daily` : kind;
}

/** The subject of the kind that the option chooses. */
function subjectOf(spec: HistorySpec, { chainId, id, name, options }: Target): Subject {
  const kind = nameOf(spec.kind, options?.period);
  const lower = (id ?? "").toLowerCase();
  return { key: `${kind}:${chainId}:${lower}`, kind, chainId, ids: spec.ids(lower), name };
}

class HistoryReading extends BaseReading {
  readonly rows: readonly HistoryRow[];

  constructor(
    private readonly spec: HistorySpec,
    subject: Subject,
    answer: Answer | undefined,
    period: Period,
    now: number,
    private readonly known: () => HistorySubject,
  ) {
    super(subject, spec.recordOf(subject), answer);
    const records = answer?.status === "ok" ? answer.records : [];
    this.rows = pointsUntil(records, period, now).map(
      ([start, record]) => new HistoryRow(spec, start, record),
    );
  }

  override get trouble(): string | null {
    return this.troubleOfList(this.rows.at(-1)?.record, "point");
  }

  protected troublesOf(point: RawRecord): readonly string[] {
    const doubts = new Set(this.spec.doubts(point).values());
    return [...doubts, ...fieldTroubles(point, this.spec.fields)];
  }

  override decimals(metric: string): number | null {
    return this.known().decimals(metric);
  }

  protected label(): string {
    return this.known().label;
  }

  protected override page(): string | null {
    return this.known().page;
  }

  protected override unit(metric: string): string {
    return this.known().unit(metric, this.rows.at(-1)?.record ?? null);
  }
}

class HistoryRow implements Row {
  #doubts: ReadonlyMap<string, string> | undefined;

  constructor(
    private readonly spec: HistorySpec,
    readonly date: number,
    readonly record: RawRecord,
  ) {}

  value(metric: string): Value | null {
    if (!this.spec.metrics.has(metric)) return null;
    this.#doubts ??= this.spec.doubts(this.record);
    if (this.#doubts.has(metric)) return null;
    return valueIn(this.spec.fields, this.record, this.spec.fieldOf(metric));
  }
}
