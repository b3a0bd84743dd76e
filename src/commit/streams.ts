import { judgesEntries } from "../decide/decide-alert.ts";
import type { Description, Mark, Reading, Row, StreamReading } from "../kinds/kind.ts";
import type { Ask, Cursor } from "../model/index.ts";
import { composeGap } from "../notices/source-notice.ts";
import type { DecidedWork, Ready } from "../poll/plan.ts";
import type { AddressedNotice } from "./notices.ts";

/** A reading with another stream than the one that was read. */
class RestreamedReading implements Reading {
  readonly rows: readonly Row[];
  readonly trouble: string | null;
  readonly absent: boolean;
  readonly unanswered: Ask["record"] | null;
  readonly closed: boolean;

  constructor(
    private readonly reading: Reading,
    readonly stream: StreamReading,
  ) {
    this.rows = reading.rows;
    this.trouble = reading.trouble;
    this.absent = reading.absent;
    this.unanswered = reading.unanswered;
    this.closed = reading.closed;
  }

  decimals(metric: string): number | null {
    return this.reading.decimals(metric);
  }

  marks(): readonly Mark[] {
    return this.reading.marks();
  }

  describe(): Description {
    return this.reading.describe();
  }
}

/**
 * Rounds may overlap: where another has moved the cursor on since this reading was made, its entries
 * are left to the next round, which begins at the new cursor.
 */
export function withCurrentStream(ready: Ready): Ready {
  const { work, reading } = ready;
  const stream = reading.stream ?? null;
  const { cursor } = work.subject;
  if (stream === null || stream.from === cursor) return ready;
  const none = { entries: [], cursor: cursor ?? stream.cursor, from: cursor, gap: null };
  return { ...ready, reading: new RestreamedReading(reading, none) };
}

/** The cursors that have moved, to be committed with what was decided on their entries. */
export function cursorsOf(decided: readonly DecidedWork[]): Cursor[] {
  const cursors: Cursor[] = [];
  for (const { work, reading } of decided) {
    const stream = reading.stream ?? null;
    if (stream === null || stream.cursor === work.subject.cursor) continue;
    cursors.push({ subject: work.subject.storeKey, value: stream.cursor });
  }
  return cursors;
}

/** With what goes on waiting of the entries, after all rules on them were decided. */
export function withSettledStream(decided: DecidedWork): DecidedWork {
  const { reading, decision } = decided;
  const stream = reading.stream ?? null;
  if (stream?.settle === undefined) return decided;
  const verdicts = decision.alerts.flatMap(({ entries }) =>
    entries === undefined ? [] : [entries.verdicts],
  );
  const { cursor, unjudged } = stream.settle(verdicts);
  return { ...decided, reading: new RestreamedReading(reading, { ...stream, cursor, unjudged }) };
}

/** What is told of entries that were missed, to those whose rules would have been tested on them. */
export function gapNotices(decided: readonly DecidedWork[], at: number): AddressedNotice[] {
  const notices: AddressedNotice[] = [];
  for (const { work, reading } of decided) {
    const gap = reading.stream?.gap ?? null;
    const unjudged = reading.stream?.unjudged ?? null;
    if (gap === null && unjudged === null) continue;
    // Whoever watches from now on has missed nothing.
    const concerned = work.due.filter(
      ({ alert, watched }) =>
        alert !== null &&
        judgesEntries(watched) &&
        (gap !== null || unjudged?.rules.includes(watched.rule.name) === true),
    );
    const channels = [...new Set(concerned.flatMap(({ watched }) => watched.rule.notify))];
    if (channels.length === 0) continue;
    const label = concerned.find(({ alert }) => alert?.label)?.alert?.label ?? null;
    const { subject } = work.subject;
    const what = unjudged?.what ?? null;
    notices.push({ notice: composeGap({ subject, label, at, gap, unjudged: what }), channels });
  }
  return notices;
}
