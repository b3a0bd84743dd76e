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
