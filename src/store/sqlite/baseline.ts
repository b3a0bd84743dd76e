/** The tables of format 4, the oldest that is upgraded: what a migration changes is not changed here. */
export const BASELINE = `
-- Names of rules and keys of subjects, each once; names.ts sees to that. Other tables hold the
-- number: long random texts as keys cost ten times as much to insert, since each lands on a page
-- of its own, while numbers come in the order in which things came.
CREATE TABLE names (
  id   INTEGER PRIMARY KEY,
  text TEXT NOT NULL
) STRICT;

-- Samples. A series is one metric of one subject.
CREATE TABLE series (
  id      INTEGER PRIMARY KEY,
  subject INTEGER NOT NULL REFERENCES names (id),
  metric  TEXT NOT NULL,
  UNIQUE (subject, metric)
) STRICT;

-- The newest run of each series, in the order of the series: a round rewrites neighbours, and a
-- value that lasts costs one small update however long ago it began. prev is the first of the run
-- before, so that the runs of a series are a chain that is walked without a second index.
CREATE TABLE newest (
  series INTEGER PRIMARY KEY REFERENCES series (id),
  first  INTEGER NOT NULL,
  last   INTEGER NOT NULL,
  value  TEXT,
  prev   INTEGER
) STRICT;

-- All older runs. With the date in front a round appends, and pruning deletes one range.
CREATE TABLE runs (
  first  INTEGER NOT NULL,
  series INTEGER NOT NULL,
  last   INTEGER NOT NULL,
  value  TEXT,
  prev   INTEGER,
  PRIMARY KEY (first, series)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER newest_becomes_older BEFORE UPDATE OF first ON newest WHEN NEW.first > OLD.first
BEGIN
  INSERT INTO runs VALUES (OLD.first, OLD.series, OLD.last, OLD.value, OLD.prev);
END;

-- Alerts and rules. life is what an alert remembers beyond its state, as JSON: of most nothing.
CREATE TABLE alerts (
  rule           INTEGER NOT NULL REFERENCES names (id),
  subject        INTEGER NOT NULL REFERENCES names (id),
  created_at     INTEGER NOT NULL,
  started        INTEGER NOT NULL,
  state          TEXT NOT NULL,
  since          INTEGER NOT NULL,
  held_at        INTEGER,
  fired_at       INTEGER,
  fired_bucket   INTEGER,
  missing_since  INTEGER,
  missing_rounds INTEGER,
  missing_told   INTEGER,
  told_state     TEXT NOT NULL,
  told_value     TEXT,
  told_channels  TEXT NOT NULL,
  label          TEXT,
  seen           TEXT,
  life           TEXT,
  PRIMARY KEY (rule, subject)
) STRICT, WITHOUT ROWID;

-- written counts on with each row of this table and of closed_rounds.
CREATE TABLE rules (
  name       INTEGER PRIMARY KEY REFERENCES names (id),
  version    TEXT NOT NULL,
  started_at INTEGER,
  last_round INTEGER,
  written    INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE rule_versions (
  version TEXT PRIMARY KEY,
  source  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The rules of a round are the same in most rounds: the list is kept once, named by its hash.
CREATE TABLE rule_sets (
  hash  TEXT PRIMARY KEY,
  names TEXT NOT NULL
) STRICT;

CREATE TABLE rounds (
  date     INTEGER PRIMARY KEY,
  rule_set TEXT NOT NULL REFERENCES rule_sets (hash),
  requests INTEGER NOT NULL,
  subjects INTEGER NOT NULL,
  failed   INTEGER NOT NULL,
  failures TEXT NOT NULL,
  took_ms  REAL NOT NULL
) STRICT;
CREATE INDEX rounds_of_rule_set ON rounds (rule_set);

-- What is told. seq is the order in which notices were committed.
CREATE TABLE notices (
  seq     INTEGER PRIMARY KEY AUTOINCREMENT,
  id      TEXT NOT NULL UNIQUE,
  kind    TEXT NOT NULL,
  rule    TEXT,
  subject TEXT,
  at      INTEGER NOT NULL,
  body    TEXT NOT NULL
) STRICT;
CREATE INDEX notices_by_date ON notices (at);

-- Frozen before their first send. settled_at is null while something is still to be sent.
CREATE TABLE messages (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  channel    TEXT NOT NULL,
  body       TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('due', 'waiting', 'sent', 'dead')),
  attempts   INTEGER NOT NULL,
  until      INTEGER,
  error      TEXT,
  created_at INTEGER NOT NULL,
  settled_at INTEGER
) STRICT;
CREATE INDEX messages_open ON messages (channel, seq) WHERE settled_at IS NULL;
CREATE INDEX messages_settled ON messages (settled_at) WHERE settled_at IS NOT NULL;

-- Which notice a channel is told, and in which message (null: in none yet) at which place; held back
-- by a silence or a mute until held_until (null: it is not).
CREATE TABLE owed (
  notice     INTEGER NOT NULL REFERENCES notices (seq),
  channel    TEXT NOT NULL,
  message    INTEGER REFERENCES messages (seq),
  place      INTEGER,
  held_until INTEGER,
  PRIMARY KEY (notice, channel)
) STRICT, WITHOUT ROWID;
CREATE INDEX owed_open ON owed (channel, notice) WHERE message IS NULL;
CREATE INDEX owed_in_message ON owed (message, place) WHERE message IS NOT NULL;
CREATE INDEX owed_held ON owed (channel, held_until) WHERE held_until IS NOT NULL;

-- One row: a number that each opening raises, and who opened.
CREATE TABLE fence (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  counter INTEGER NOT NULL,
  process INTEGER
) STRICT;
INSERT INTO fence VALUES (1, 0, NULL);

-- What lists that are followed had when they were last read.
CREATE TABLE cursors (
  subject INTEGER PRIMARY KEY REFERENCES names (id),
  value   TEXT NOT NULL
) STRICT;

-- Block and time of the newest records, so that older ones are known as such after a restart.
CREATE TABLE marks (
  subject INTEGER PRIMARY KEY REFERENCES names (id),
  value   TEXT NOT NULL
) STRICT;

-- What people say to a running daemon; they write it beside it, and it reads it whenever it matters.
CREATE TABLE silences (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  rule       TEXT,
  subjects   TEXT,
  labels     TEXT NOT NULL,
  starts_at  INTEGER NOT NULL,
  ends_at    INTEGER NOT NULL,
  author     TEXT NOT NULL,
  comment    TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX silences_by_end ON silences (ends_at);

CREATE TABLE orders (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  kind    TEXT NOT NULL CHECK (kind IN ('ack', 'unack', 'rearm')),
  rule    TEXT NOT NULL,
  subject TEXT,
  author  TEXT NOT NULL,
  comment TEXT,
  at      INTEGER NOT NULL,
  done_at INTEGER
) STRICT;
CREATE INDEX orders_open ON orders (id) WHERE done_at IS NULL;

-- The last round that the rules of a list had together: one row, and not one for each rule. A rule's
-- last round is in what was written last of its own row and of the lists that name it.
CREATE TABLE closed_rounds (
  rule_set TEXT PRIMARY KEY REFERENCES rule_sets (hash),
  date     INTEGER NOT NULL,
  written  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Of the other columns max() takes those of the row that it found.
CREATE VIEW rule_states (name, version, started_at, last_round) AS
SELECT text, version, started_at,
  CASE WHEN closed.written > rules.written THEN closed.date ELSE last_round END
FROM rules JOIN names ON id = rules.name LEFT JOIN (
  SELECT value AS name, date, max(written) AS written
  FROM closed_rounds JOIN rule_sets ON hash = rule_set JOIN json_each(names) GROUP BY value
) AS closed ON closed.name = text;
`;
