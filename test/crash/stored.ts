import { type Database, loadDriver } from "../../src/store/sqlite/driver.ts";

/** A notice that a channel was told, and with which message. */
export interface ToldNotice {
  readonly channel: string;
  /** Its place in the order of notices. */
  readonly seq: number;
  readonly id: string;
  readonly kind: string;
  /** Which alert it is about. */
  readonly about: string;
  readonly message: string | null;
  readonly state: string | null;
}

export interface StoredMessage {
  readonly seq: number;
  readonly id: string;
  readonly channel: string;
  readonly body: string;
}

/** What a run has left behind. */
export interface Stored {
  /** Everything but what differs from run to run: numbers of rows, durations, real times. */
  readonly state: Readonly<Record<string, readonly unknown[]>>;
  /** What was sent in which message, where that is no matter of chance. */
  readonly sent: readonly { readonly channel: string }[];
  readonly told: readonly ToldNotice[];
  readonly messages: readonly StoredMessage[];
}

const STATE: Readonly<Record<string, string>> = {
  alerts: `SELECT r.text AS of_rule, s.text AS of_subject, alerts.* FROM alerts
    JOIN names r ON r.id = alerts.rule JOIN names s ON s.id = alerts.subject ORDER BY 1, 2`,
  rules: "SELECT * FROM rule_states ORDER BY 1",
  newest: `SELECT names.text, metric, first, last, value, prev FROM newest
    JOIN series ON series.id = series JOIN names ON names.id = subject ORDER BY 1, 2`,
  runs: `SELECT names.text, metric, first, last, value, prev FROM runs
    JOIN series ON series.id = series JOIN names ON names.id = subject ORDER BY 1, 2, 3`,
  // How channels fare is dated by real time, and each run has a service at another port.
  marks: `SELECT names.text, value FROM marks JOIN names ON names.id = subject
    WHERE names.text NOT IN ('channels', 'service:addresses') ORDER BY 1`,
  cursors: `SELECT names.text, value FROM cursors JOIN names ON names.id = subject ORDER BY 1`,
  rounds: "SELECT date, rule_set, subjects, failed, failures FROM rounds ORDER BY date",
  notices: "SELECT id, kind, rule, subject, at, body FROM notices ORDER BY id",
  owed: `SELECT owed.channel, notices.id, messages.state FROM owed
    JOIN notices ON notices.seq = owed.notice LEFT JOIN messages ON messages.seq = owed.message
    ORDER BY 1, 2`,
};

const SENT = "SELECT channel, id, state FROM messages ORDER BY channel, id";

/** Reads the database of a daemon that has ended. */
export async function readStored(path: string): Promise<Stored> {
  const driver = await loadDriver();
  const db: Database = new driver(path, { readonly: true });
  try {
    const state: Record<string, readonly unknown[]> = {};
    for (const [table, sql] of Object.entries(STATE)) {
      state[table] = db.prepare<[], Record<string, unknown>>(sql).all().map(withoutNumbers);
    }
    return {
      state,
      sent: db.prepare<[], { channel: string }>(SENT).all(),
      told: db
        .prepare<[], ToldNotice>(
          `SELECT owed.channel, notices.seq, notices.id, notices.kind,
             coalesce(rule, '') || ' ' || coalesce(subject, '') AS about,
             messages.id AS message, messages.state
           FROM owed JOIN notices ON notices.seq = owed.notice
             LEFT JOIN messages ON messages.seq = owed.message
           ORDER BY owed.channel, notices.seq`,
        )
        .all(),
      messages: db
        .prepare<[], StoredMessage>("SELECT seq, id, channel, body FROM messages ORDER BY seq")
        .all(),
    };
  } finally {
    db.close();
  }
}

/** Names have other numbers when they were written down in another order. */
function withoutNumbers({ of_rule, of_subject, ...row }: Record<string, unknown>): unknown {
  return of_rule === undefined ? row : { ...row, rule: of_rule, subject: of_subject };
}
