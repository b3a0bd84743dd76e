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
