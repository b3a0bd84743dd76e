import { HOUR } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import { acrossKind } from "../decide/across.ts";
import { EARLIER, measuredAnew } from "../decide/notification-state.ts";
import type {
  AddressedNotice,
  Alert,
  Change,
  Rule,
  SeriesName,
  Subject,
  SubjectMarks,
} from "../model/index.ts";
import { composeSelf } from "../notices/self-notice.ts";
import type { Memory, SubjectMemory } from "../poll/memory.ts";
import type { Ready } from "../poll/plan.ts";
import type { FamilyMove, Generations } from "./generations.ts";

type Begun = Pick<Change, "series" | "marks" | "alerts" | "notices">;

const ANEW = "another family of endpoints answers now: baselines, windows and events start over";

/** What it needs to tell of another family. */
interface Teller {
  readonly log: Log;
  /** Where the daemon's own troubles are told. */
  readonly selfChannels: readonly string[];
  /** Other daemons find the same of other subjects; what the store has of one of them it does not take of the next. */
  readonly isPart: boolean;
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
  #notices: AddressedNotice[] = [];
  /** When people were told of a move, by the name under which the store keeps it. */
  readonly #told = new Map<string, number>();

  constructor(
    private readonly generations: Generations,
    private readonly memory: Pick<Memory, "subjects" | "nextSeries">,
    private readonly teller: Teller,
    private readonly onRenewed: (subject: SubjectMemory) => void,
  ) {}

  /** What is to be committed before anything is decided on these. */
  begin(slice: readonly Ready[], now: number): Begun {
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
    return {
      series: this.#series,
      marks: this.#marks,
      alerts: this.#alerts,
      notices: this.#notices,
    };
  }

  /** It is committed. */
  end(): void {
    this.#series = [];
    this.#marks = [];
    this.#alerts = [];
    this.#notices = [];
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
    if (renewed.move !== null) this.#tell(renewed.move, now);
  }

  #renew(subject: SubjectMemory): void {
    for (const one of subject.series) {
      one.renew(this.memory.nextSeries());
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

  /** In the transaction of the first subject of many: whoever is killed after it has told of all. */
  #tell(move: FamilyMove, at: number): void {
    const last = this.#toldAt(move);
    const back = this.#toldAt({
      ...move,
      family: move.family === "current" ? "earlier" : "current",
    });
    // Other schedules find the same a few rounds later, and so does whoever starts anew; the way back is news, but
    // not where some go there and others back.
    const isNews = last === null || (back !== null && back > last);
    if (!isNews && Math.abs(at - last) <= HOUR) return;
    const name = toldMark(move);
    this.#told.set(name, at);
    this.#marks.push({ subject: name, value: String(at) });
    const { log, selfChannels, isPart } = this.teller;
    const all = [...this.memory.subjects.values()];
    const subjects = 1 + all.filter((one) => this.generations.goesTo(move, one)).length;
    log.warn({ ...move, subjects }, ANEW);
    if (selfChannels.length === 0) return;
    const notice = composeSelf({ about: "family_changed", ...move, subjects, isPart }, at);
    this.#notices.push({ notice, channels: selfChannels });
  }

  #toldAt(move: FamilyMove): number | null {
    const name = toldMark(move);
    const stored = this.generations.marks.get(name);
    return this.#told.get(name) ?? (stored === undefined ? null : Number(stored));
  }
}

/** Under which name the store keeps, among the marks, when people were told of a move. */
function toldMark({ record, family }: FamilyMove): string {
  return `family_told:${record}:${family}`;
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
