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
