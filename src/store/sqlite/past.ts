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
