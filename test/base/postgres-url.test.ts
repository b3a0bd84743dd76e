import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPostgresUrl, targetOf } from "../../src/base/postgres-url.ts";

const PLAIN = {
  host: "db.example.org",
  port: 5432,
  user: "me",
  password: "pw",
  database: "alerts",
  schema: "tickwatch",
  tls: "full",
  authority: null,
  isOpen: false,
};

function read(url: string): unknown {
  const place = readPostgresUrl(url, "/etc/tickwatch");
  return "trouble" in place ? place.trouble : targetOf(place);
}

describe("a PostgreSQL URL", () => {
  it.each([
    ["postgres://me:pw@db.example.org/alerts", {}],
    ["  postgresql://me:pw@db.example.org:5432/alerts\n", {}],
    ["postgres://me@db.example.org/alerts", { password: null }],
    [
      "postgres://m%40e:p%2F%23w%3A@db.example.org/al%20erts",
      { user: "m@e", password: "p/#w:", database: "al erts" },
    ],
    // The last @ ends the password, and the first : begins it.
    ["postgres://me:a@b:c@db.example.org/alerts", { password: "a@b:c" }],
    ["postgres://me:pw@[::1]:6543/alerts", { host: "::1", port: 6543 }],
    ["postgres://me:pw@db.example.org/alerts?schema=team_2", { schema: "team_2" }],
    ["postgres://me:pw@db.example.org/alerts?sslmode=require", {}],
    [
      "postgres://me:pw@db.example.org/alerts?sslmode=verify-ca&sslrootcert=ca.pem",
      { tls: "ca", authority: "/etc/tickwatch/ca.pem" },
    ],
    ["postgres://me:pw@db.example.org/alerts?sslrootcert=system", {}],
    ["postgres://me:pw@db.example.org/alerts?sslmode=disable", { tls: "none", isOpen: true }],
    ["postgres://me:pw@127.0.0.1/alerts?sslmode=disable", { host: "127.0.0.1", tls: "none" }],
    ["postgres://me:pw@/alerts?host=%2Frun%2Fpostgresql", { host: "/run/postgresql", tls: "none" }],
  ])("is read: %s", (url, parts) => {
    expect(read(url)).toEqual({ ...PLAIN, ...parts });
  });

  it.each([
    ["mysql://me@h/d", "the address is not a PostgreSQL URL"],
    ["postgres:/me@h/d", "the address is not a PostgreSQL URL"],
    ["postgres://h/d", "the user is missing before the host"],
    ["postgres://me@/d", "the host is missing"],
    ["postgres://me@h", "the database is missing after the host"],
    ["postgres://me@h/a/b", "the database's name is malformed"],
    ["postgres://me@h,g/d", "several hosts are not supported"],
    ["postgres://me@h:99999/d", "the port is not one from 1 to 65535"],
    ["postgres://me@h:x/d", "host or port is malformed"],
    ["postgres://me:50%@h/d", "a % in user or password is no escape"],
    ["postgres://me:a#b@h/d", "a # must be written as %23 in user, password and database"],
    ["postgres://me@h/d#b", "a # must be written as %23 in user, password and database"],
    ["postgres://me@h/d?schema=Team", "the schema is no plain name"],
    ["postgres://me@h/d?schema=pg_x", "the schema is no plain name"],
    ["postgres://me@h/d?schema=a&schema=b", "schema= stands twice"],
    ["postgres://me@h/d?sslmode=prefer", "sslmode= is none that is supported"],
    ["postgres://me@h/d?sslmod=disable", "an unknown parameter looks like sslmode"],
    ["postgres://me@h/d?channel_binding=require", "it has an unknown parameter"],
    ["postgres://me@h/d?host=other", "host= names another host"],
  ])("is refused: %s", (url, trouble) => {
    expect(read(url)).toBe(trouble);
  });

  it("is repeated by no message and no print of its place", () => {
    const word = fc.stringMatching(/^[A-Za-z0-9@:/?#%&=,]{0,12}$/);
    fc.assert(
      fc.property(word, word, (before, after) => {
        const secret = "s3cr3tWORD";
        const place = readPostgresUrl(`postgres://me:${before}${secret}${after}@h/d`, "/");
        expect(`${JSON.stringify(place)}${inspect(place)}`).not.toContain(secret);
      }),
    );
  });
});
