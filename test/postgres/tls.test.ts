import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { makeAuthority } from "../support/certificate.ts";
import { changeOf } from "./support/failing-store.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { describeWhole, type Server, startServer, unprivileged } from "./support/server.ts";

describeWhole("a PostgreSQL that speaks TLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "tickwatch-tls-"));
  const ours = join(folder, "ours.pem");
  const theirs = join(folder, "theirs.pem");
  /** Certificates for a name, for an address, and none. */
  let named: Server;
  let numbered: Server;
  let open: Server;

  beforeAll(async () => {
    const now = Date.now();
    const authority = makeAuthority(now);
    writeFileSync(ours, authority.cert);
    writeFileSync(theirs, makeAuthority(now).cert);
    const start = (host: string): Promise<Server> => {
      const { cert, key } = authority.issue(host);
      const prepare = (data: string): void => {
        secret(join(data, "server.crt"), cert);
        secret(join(data, "server.key"), key);
      };
      return startServer({ settings: ["ssl=on"], prepare });
    };
    named = await start("localhost");
    numbered = await start("127.0.0.1");
    open = await startServer();
  });
  afterAll(async () => {
    await Promise.all([named, numbered, open].map((server) => server.close()));
    rmSync(folder, { recursive: true });
  });

  function secret(path: string, text: string): void {
    writeFileSync(path, text);
    chmodSync(path, 0o600);
    const user = unprivileged();
    if (user !== null) chownSync(path, user.uid, user.gid);
  }

  /** Opens a store on it by that host; resolves to whether the server saw it encrypted. */
  async function isEncrypted(server: Server, host: string, options: string): Promise<unknown> {
    const schema = freshSchema();
    const url = `postgres://owner@${host}:${server.port}/postgres?schema=${schema}${options}`;
    const store = await openPostgresStore(placeOf(url));
    try {
      await store.commit(changeOf(1));
      const { rows } = await server.sql(
        `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
         WHERE application_name = 'tickwatch'`,
      );
      return rows;
    } finally {
      await store.close();
    }
  }

  it("is used where its certificate is of the authority and for the host", async () => {
    for (const mode of ["", "&sslmode=verify-full", "&sslmode=require", "&sslmode=verify-ca"]) {
      const options = `${mode}&sslrootcert=${ours}`;
      expect(await isEncrypted(named, "localhost", options)).toEqual([{ ssl: true }]);
      expect(await isEncrypted(numbered, "127.0.0.1", options)).toEqual([{ ssl: true }]);
    }
  });

  it("is used by another name only where the name is not checked", async () => {
    const ca = `&sslmode=verify-ca&sslrootcert=${ours}`;
    expect(await isEncrypted(named, "127.0.0.1", ca)).toEqual([{ ssl: true }]);
    expect(await isEncrypted(named, "127.0.0.1", "&sslmode=disable")).toEqual([{ ssl: false }]);
    for (const [server, host] of [
      [named, "127.0.0.1"],
      [numbered, "localhost"],
    ] as const) {
      await expect(isEncrypted(server, host, `&sslrootcert=${ours}`)).rejects.toMatchObject({
        reason: "unwritable",
        message: expect.stringMatching(
          /does not match certificate.*: .*use the name that the certificate has$/,
        ),
      });
    }
  });

  it("is refused where its certificate is of another authority", async () => {
    for (const options of [
      "",
      `&sslrootcert=${theirs}`,
      `&sslmode=verify-ca&sslrootcert=${theirs}`,
    ]) {
      await expect(isEncrypted(named, "localhost", options)).rejects.toMatchObject({
        reason: "unwritable",
        message: expect.stringMatching(/: give the authority's certificate with sslrootcert=/),
      });
    }
  });

  it("is refused where it speaks none", async () => {
    for (const options of ["", `&sslrootcert=${ours}`, "&sslmode=verify-ca"]) {
      await expect(isEncrypted(open, "localhost", options)).rejects.toMatchObject({
        reason: "unwritable",
        message: expect.stringMatching(
          /does not support SSL connections: let the server speak TLS/,
        ),
      });
    }
  });

  it("is refused where the authority's file is none", async () => {
    const empty = join(folder, "empty.pem");
    writeFileSync(empty, "not a certificate\n");
    for (const path of [empty, join(folder, "nowhere.pem")]) {
      await expect(isEncrypted(named, "localhost", `&sslrootcert=${path}`)).rejects.toMatchObject({
        reason: "unwritable",
        message: expect.stringContaining(path),
      });
    }
  });
});
