/**
 * Format 5: what became of alerts, rules and sends, for people who ask later, and views for the tools that
 * they point at the database. docs/explain.md documents the views.
 */
export const HISTORY = `
-- An alert as a round or a person left it, each time that its state changed, people were told of that,
-- or it was acknowledged. value is what decided; alert is the whole of it as JSON.
CREATE TABLE alert_changes (
  seq        INTEGER PRIMARY KEY,
  rule       INTEGER NOT NULL REFERENCES names (id),
  subject    INTEGER NOT NULL REFERENCES names (id),
  at         INTEGER NOT NULL,
  state      TEXT NOT NULL,
  told_state TEXT NOT NULL,
  no_data    INTEGER NOT NULL,
  value      TEXT,
  alert      TEXT NOT NULL
) STRICT;
CREATE INDEX alert_changes_of_alert ON alert_changes (rule, subject, seq);
CREATE INDEX alert_changes_by_date ON alert_changes (at);

-- Since when a rule was which version; null: it was removed.
CREATE TABLE rule_changes (
  seq     INTEGER PRIMARY KEY,
  rule    INTEGER NOT NULL REFERENCES names (id),
  at      INTEGER NOT NULL,
  version TEXT
) STRICT;
CREATE INDEX rule_changes_of_rule ON rule_changes (rule, seq);

-- What came of each send of a message; until is when it is tried again. Of a message that is tried for
-- days the first sends and the last ones.
CREATE TABLE attempts (
  message INTEGER NOT NULL REFERENCES messages (seq) ON DELETE CASCADE,
  number  INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('sent', 'retry', 'dead', 'dropped')),
  answer  TEXT,
  until   INTEGER,
  PRIMARY KEY (message, number)
) STRICT, WITHOUT ROWID;

-- What the samples of a subject do not say, from a round on: decimals, units, whether a position is closed.
CREATE TABLE subject_facts (
  subject INTEGER NOT NULL REFERENCES names (id),
  at      INTEGER NOT NULL,
  facts   TEXT NOT NULL,
  PRIMARY KEY (subject, at)
) STRICT, WITHOUT ROWID;

-- A subject's key is followed by @ or ~ and the generation of its source, where that has changed.
CREATE VIEW samples_v (subject, metric, first_at, last_at, first_ms, last_ms, value, value_real) AS
SELECT
  substr(text, 1, min(instr(text || '@', '@'), instr(text || '~', '~')) - 1),
  metric,
  strftime('%Y-%m-%dT%H:%M:%SZ', first / 1000, 'unixepoch'),
  strftime('%Y-%m-%dT%H:%M:%SZ', last / 1000, 'unixepoch'),
  first, last, value,
  CASE value WHEN 'true' THEN 1.0 WHEN 'false' THEN 0.0 ELSE
    CASE WHEN value GLOB '*[0-9]*' AND value NOT GLOB '*[^0-9.-]*' THEN CAST(value AS REAL) END END
FROM (
  SELECT series, first, last, value FROM runs UNION ALL
  SELECT series, first, last, value FROM newest
) AS all_runs JOIN series ON series.id = all_runs.series JOIN names ON names.id = series.subject;

CREATE VIEW alerts_v (rule, subject, name, state, since, since_ms, firing_since, firing_since_ms,
  told, told_value, no_data_since, no_data_since_ms, acknowledged_by, acknowledged_at) AS
SELECT rules.text, subjects.text, label, state,
  strftime('%Y-%m-%dT%H:%M:%SZ', since / 1000, 'unixepoch'), since,
  strftime('%Y-%m-%dT%H:%M:%SZ', fired_at / 1000, 'unixepoch'), fired_at,
  told_state, told_value,
  strftime('%Y-%m-%dT%H:%M:%SZ', missing_since / 1000, 'unixepoch'), missing_since,
  json_extract(life, '$.acked.by'),
  strftime('%Y-%m-%dT%H:%M:%SZ', json_extract(life, '$.acked.at') / 1000, 'unixepoch')
FROM alerts JOIN names AS rules ON rules.id = alerts.rule
  JOIN names AS subjects ON subjects.id = alerts.subject;

CREATE VIEW notices_v (id, at, at_ms, kind, severity, rule, subject, name, headline, channel, delivery,
  sends, error, sent_at, sent_ms, message) AS
SELECT notices.id, strftime('%Y-%m-%dT%H:%M:%SZ', notices.at / 1000, 'unixepoch'), notices.at,
  notices.kind, json_extract(notices.body, '$.severity'), notices.rule, notices.subject,
  json_extract(notices.body, '$.label'), json_extract(notices.body, '$.headline'), owed.channel,
  CASE
    WHEN owed.channel IS NULL THEN 'nobody'
    WHEN messages.seq IS NULL THEN CASE WHEN owed.held_until IS NULL THEN 'queued' ELSE 'suppressed' END
    WHEN messages.state = 'due' THEN 'queued'
    WHEN messages.state = 'waiting' THEN 'retrying'
    ELSE messages.state
  END,
  CASE WHEN messages.seq IS NULL THEN 0 WHEN messages.settled_at IS NULL THEN messages.attempts - 1
    ELSE messages.attempts END,
  messages.error,
  strftime('%Y-%m-%dT%H:%M:%SZ', CASE messages.state WHEN 'sent' THEN messages.settled_at END / 1000,
    'unixepoch'),
  CASE messages.state WHEN 'sent' THEN messages.settled_at END,
  messages.id
FROM notices LEFT JOIN owed ON owed.notice = notices.seq
  LEFT JOIN messages ON messages.seq = owed.message;
`;

/** Format 6: who did what, and an index for those who look at the notices of one alert. */
export const AUDIT = `
-- What people did, through the commands, the page or the API. about: in words; count: how many alerts, silences
-- or messages it was about.
CREATE TABLE audit (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  at      INTEGER NOT NULL,
  author  TEXT NOT NULL,
  via     TEXT NOT NULL CHECK (via IN ('command', 'page', 'api', 'chat')),
  action  TEXT NOT NULL,
  rule    TEXT,
  subject TEXT,
  about   TEXT NOT NULL,
  comment TEXT,
  count   INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_by_date ON audit (at);
CREATE INDEX audit_by_rule ON audit (rule, id) WHERE rule IS NOT NULL;

CREATE INDEX notices_by_alert ON notices (rule, subject, at) WHERE rule IS NOT NULL;
`;

/** Where there is no database yet it is in a file of its own. */
export const HISTORY_CACHE = `
-- Histories that the service told for tries of rules on the past: the points of [first, last] in one body,
-- packed. No window of a daemon is filled from it.
CREATE TABLE history_cache (
  key        TEXT NOT NULL,
  first      INTEGER NOT NULL,
  last       INTEGER NOT NULL,
  fetched_at INTEGER NOT NULL,
  body       BLOB NOT NULL,
  PRIMARY KEY (key, first)
) STRICT, WITHOUT ROWID;
CREATE INDEX history_cache_by_date ON history_cache (fetched_at);
`;

/** Format 7: what a replay of the past needs beside samples, and what was fetched for one. */
export const PAST = `
-- Subjects of which a round read too little though no request failed, with the metrics that lack (none: all).
ALTER TABLE rounds ADD COLUMN unread TEXT NOT NULL DEFAULT '[]';

-- What a bucket said from a round on: runs keep the last of it, and rounds decided on what it was by then.
CREATE TABLE revisions (
  at     INTEGER NOT NULL,
  series INTEGER NOT NULL,
  first  INTEGER NOT NULL,
  value  TEXT,
  PRIMARY KEY (at, series, first)
) STRICT, WITHOUT ROWID;
${HISTORY_CACHE}`;

/** Format 8: what a replay of rounds needs beside samples, so that it decides as they did. */
export const READS = `
-- What rounds read, as JSON: when the run of the daemon began, how the requests of each group of rules fared,
-- of which subjects too little was read and why. Most rounds read the same, which is kept once.
CREATE TABLE round_reads (
  id    INTEGER PRIMARY KEY,
  hash  TEXT NOT NULL UNIQUE,
  reads TEXT NOT NULL
) STRICT;

-- Null: of before this format.
ALTER TABLE rounds ADD COLUMN reads INTEGER REFERENCES round_reads (id);
CREATE INDEX rounds_of_reads ON rounds (reads);
`;
