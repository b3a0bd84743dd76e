/** What people tell a running daemon: to be silent about something, or what to do with an alert. */

/** So long nothing is told of the alerts that match all of it. */
export interface Silence {
  readonly id: number;
  /** A rule's name; null: whatever the rule. */
  readonly rule: string | null;
  /** Keys of subjects; null: whatever the subject. */
  readonly subjects: readonly string[] | null;
  /** Each of them must be a label of the rule; empty: whatever the labels. */
  readonly labels: Readonly<Record<string, string>>;
  /** Epoch milliseconds: from the start on, before the end. */
  readonly startsAt: number;
  readonly endsAt: number;
  readonly author: string;
  readonly comment: string | null;
  readonly createdAt: number;
}

/**
 * `ack`: somebody looks after an alert that fires; `unack` takes that back; `rearm`: an alert that has
 * completed (`once`) counts again. Only the daemon writes alerts, so a command waits until it carries it out.
 */
export interface Command {
  readonly id: number;
  readonly kind: "ack" | "unack" | "rearm";
  readonly rule: string;
  /** A subject's key; null: every alert of the rule. */
  readonly subject: string | null;
  readonly author: string;
  readonly comment: string | null;
  readonly at: number;
  /** Where several daemons share the work: the slots, as they are now, in which it is carried out; absent: none. */
  readonly doneIn?: ReadonlySet<number>;
}

/** A daily time in which nobody is to be disturbed. */
export interface MuteWindow {
  /** Minutes after midnight, 0 to 1440: from this one on, before that one; over midnight if it is not later. */
  readonly from: number;
  readonly to: number;
  /** The days on which it begins, 0 Sunday to 6 Saturday. */
  readonly days: readonly number[];
  /** An IANA zone, in which days and minutes are meant. */
  readonly timezone: string;
}
