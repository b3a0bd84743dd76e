/**
 * The daemons of a cluster, each start of one as a row, and which of them works. One is alive until `until`, by the
 * server's clock, unless it renews that; once it is marked as dead it stays so.
 */
export const MEMBERS = `
CREATE TABLE members (
  id        uuid PRIMARY KEY,
  name      text NOT NULL,
  version   text NOT NULL,
  config    text NOT NULL,
  joined_at timestamptz NOT NULL DEFAULT now(),
  until     timestamptz NOT NULL,
  dead      boolean NOT NULL DEFAULT false
) WITH (fillfactor = 20);

CREATE TABLE leases (
  name  text PRIMARY KEY,
  owner uuid
);
INSERT INTO leases VALUES ('daemon', NULL);
`;
