import { HOUR } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import { acrossKind } from "../decide/across.ts";
import { EARLIER, measuredAnew } from "../decide/notification-state.ts";
import {
  type Alert,
  type Ask,
  type Change,
  type Family,
  NO_CHANGE,
  type Rule,
  type SeriesName,
  type Subject,
  type SubjectMarks,
} from "../model/index.ts";
import { composeSelf } from "../notices/self-notice.ts";
import type { SubjectMemory } from "../poll/memory.ts";
import type { Ready } from "../poll/plan.ts";
import type { Committer } from "./committer.ts";
import type { Generations } from "./generations.ts";

const ANEW = "another family of endpoints answers now: baselines, windows and events start over";

/** Several subjects that are answered by another family from now on. */
interface FamilyChange {
  readonly record: Ask["record"];
  readonly family: Family;
  readonly subjects: number;
}

/**
 * Subjects whose answers come from elsewhere than their samples begin anew, in the turn in which the first
 * such answer is decided. The memory leads the store here: what could not be committed is committed with
 * the next slice, whatever that is about.
 */
export class SourceChanges {
  #series: SeriesName[] = [];
  #marks: SubjectMarks[] = [];
  #alerts: Alert[] = [];
  readonly #said = new Map<string, FamilyChange>();
  /** Of which records people were told last that which family answers, and when. */
  readonly #told = new Map<Ask["record"], { readonly family: Family; readonly at: number }>();

  constructor(
    private readonly generations: Generations,
    private readonly nextSeries: () => number,
    private readonly onRenewed: (subject: SubjectMemory) => void,
  ) {}

  /** What is to be committed before anything is decided on these. */
  begin(slice: readonly Ready[], now: number): Pick<Change, "series" | "marks" | "alerts"> {
    for (const { work } of slice) {
      this.#look(work.subject, now);
      for (const { watched } of work.due) {
        // They may be asked as parts of a sum alone.
        for (const member of watched.members) this.#look(member, now);
        for (const one of watched.references.values()) {
          for (const member of one.members) this.#look(member, now);
        }
      }
    }
    for (const { work } of slice) {
      const members = work.due[0]?.watched.members ?? [];
      if (members.length > 0 && this.generations.renewTogether(work.subject, members)) {
        this.#renew(work.subject);
      }
    }
    return { series: this.#series, marks: this.#marks, alerts: this.#alerts };
  }

  /** It is committed. */
  end(): void {
    this.#series = [];
    this.#marks = [];
    this.#alerts = [];
  }

  /**
   * Tells of what was begun anew since, one line a change, where the daemon's own troubles are told. `isPart`: other
   * daemons find the same of other subjects, and what the store has of one of them it does not take of the next.
   */
  async tell(
    at: number,
    log: Log,
    selfChannels: readonly string[],
    committer: Committer,
    isPart: boolean,
  ): Promise<void> {
    const changes = [...this.#said.values()];
    this.#said.clear();
    for (const change of changes) log.warn(change, ANEW);
    // Other schedules find the same a few rounds later.
    const news = changes.filter(({ record, family }) => {
      const told = this.#told.get(record);
      this.#told.set(record, { family, at });
      return told?.family !== family || at - told.at > HOUR;
    });
    if (news.length === 0 || selfChannels.length === 0) return;
    const notices = news.map((change) => ({
      notice: composeSelf({ about: "family_changed", ...change, isPart }, at),
      channels: selfChannels,
    }));
    if (await committer.commit(() => ({ change: { ...NO_CHANGE, notices } }))) return;
    // A later round tells of them.
    for (const change of news) {
      this.#told.delete(change.record);
      this.#note(change);
    }
  }

  /** Whether the answers that are there come from elsewhere than the subject's samples. */
  isForeign(subject: SubjectMemory): boolean {
    return this.generations.isForeign(subject);
  }

  #look(subject: SubjectMemory, now: number): void {
    // Most have one family that could answer them.
    const renewed = subject.provenance && this.generations.renew(subject, now);
    if (renewed === null) return;
    if (!subject.isCopy) this.#marks.push(renewed.mark);
    if (!renewed.isNew) return;
    this.#renew(subject);
    if (renewed.wasKnown) this.#count(subject);
  }

  #renew(subject: SubjectMemory): void {
    for (const one of subject.series) {
      one.renew(this.nextSeries());
      this.#series.push({ id: one.id, subject: subject.storeKey, metric: one.metric });
    }
    subject.cursor = null;
    subject.watermark = null;
    subject.backfills = null;
    for (const one of subject.alerts) {
      if (one.alert === null) continue;
      const next = measuredAnew(one.alert, one.watched.rule);
      if (next === one.alert) continue;
      one.alert = next;
      this.#alerts.push(next);
    }
    this.onRenewed(subject);
  }

  #count({ provenance }: SubjectMemory): void {
    const [ask] = provenance?.shared ?? [];
    const family = provenance?.sources?.[0] ?? null;
    if (ask !== undefined && family !== null) {
      this.#note({ record: ask.record, family, subjects: 1 });
    }
  }

  #note({ record, family, subjects }: FamilyChange): void {
    const key = `${record}:${family}`;
    const before = this.#said.get(key)?.subjects ?? 0;
    this.#said.set(key, { record, family, subjects: before + subjects });
  }
}

/**
 * The alert of a rule with `across` after an edit of what it is made of: the same one, which people know,
 * on values of another kind. What was measured on the values of before is forgotten. Null: it watches
 * something else altogether, and another alert begins.
 */
export function movedTo(alert: Alert, subject: Subject, rule: Rule): Alert | null {
  const kind = acrossKind(alert.subject);
  if (rule.across === null || kind === null || kind !== acrossKind(subject.key)) return null;
  return measuredAnew({ ...alert, subject: subject.key }, rule, EARLIER);
}
