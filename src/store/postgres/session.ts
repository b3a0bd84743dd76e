import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Socket } from "node:net";
import type { Client, ClientConfig } from "pg";
import type { PostgresTarget } from "../../base/postgres-url.ts";
import { StoreError } from "../store.ts";
import { endsConnection, unusable } from "./failure.ts";

/** Runs one statement; its rows by the names of their columns. */
export type Query = <Row = Record<string, unknown>>(
  text: string,
  values?: readonly unknown[],
) => Promise<Row[]>;

/** One connection to a server. Whoever uses it waits until the one before is done. */
export interface Session {
  /** What tells this connection from all others on the server. */
  readonly marker: string;
  readonly isAlive: boolean;
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The first column of a query's first row; null where there is no row, or nothing in it. */
  value<T>(text: string, values?: readonly unknown[]): Promise<T | null>;
  /** Runs a statement that changes rows; returns how many. */
  run(text: string, values?: readonly unknown[]): Promise<number>;
  /** Calls `listener` with the text of each notification that the connection listens for. */
  onNotification(listener: (text: string) => void): void;
  /** Cuts it: whatever runs fails at once. */
  destroy(): void;
  end(): Promise<void>;
}

/** The server gives a statement up after this, and this process a little later. */
export const STATEMENT_MS = 5_000;
const ANSWER_MS = 6_000;
const CONNECT_MS = 5_000;
/** Reading or moving everything takes longer. */
export const LONG_MS = 60_000;
const OLDEST_SERVER = 150_000;
/** Commits, and does what is left of the long statements of the transaction, such as filling cursors that outlive it. */
export const FILL = "COMMIT AND NO CHAIN";

/**
 * What a session is set to, by SET: poolers refuse it as parameters of the start. A session that nobody is on the
 * other end of is over within seconds, and with it its locks.
 */
const SETTINGS = `SET statement_timeout = ${STATEMENT_MS};
  SET lock_timeout = ${STATEMENT_MS};
  SET idle_in_transaction_session_timeout = ${STATEMENT_MS};
  SET tcp_keepalives_idle = 2; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 3;
  SET tcp_user_timeout = ${ANSWER_MS};
  SET client_min_messages = warning;
  SET standard_conforming_strings = on`;

/** Opens a connection. Throws what the driver throws, and StoreError where the server is none that can be used. */
export async function connect(target: PostgresTarget): Promise<Session> {
  const { default: pg } = await import("pg");
  const types = new pg.TypeOverrides();
  const { INT8, NUMERIC, JSON } = pg.types.builtins;
  // Dates in milliseconds and counts are below 2^53; json is taken as it was written.
  types.setTypeParser(INT8, Number);
  types.setTypeParser(NUMERIC, Number);
  types.setTypeParser(JSON, String);
  const socket = new Socket();
  const client = new pg.Client({ ...(await configOf(target)), types, stream: () => socket });
  let isAlive = true;
  const over = (): void => {
    isAlive = false;
  };
  // Without a listener the process would end with the connection.
  client.on("error", over);
  client.on("end", over);
  const destroy = (): void => {
    over();
    socket.destroy();
  };
  const marker = randomUUID();
  try {
    await client.connect();
    await within(ANSWER_MS, destroy, () =>
      client.query(`${SETTINGS}; SET search_path = "${target.schema}";
        SET tickwatch.session = '${marker}'`),
    );
    await refuseOld(client);
  } catch (error) {
    destroy();
    throw error;
  }
  let longest = ANSWER_MS;
  const ask = async <Row>(text: string, values: readonly unknown[] = []) => {
    // What makes room for a long statement makes this side wait for it as well.
    const room = /^SET (?:LOCAL )?statement_timeout = (\d+)$/.exec(text);
    if (room !== null) longest = Number(room[1]) + 1_000;
    if (text === "COMMIT" || text === "ROLLBACK") longest = ANSWER_MS;
    try {
      return await within(longest, destroy, () =>
        client.query<Row & Record<string, unknown>>(text, values.map(withoutNul)),
      );
    } catch (error) {
      if (endsConnection(error)) destroy();
      throw error;
    } finally {
      if (text === FILL) longest = ANSWER_MS;
    }
  };
  const query = async <Row>(text: string, values?: readonly unknown[]) =>
    (await ask<Row>(text, values)).rows;
  return {
    marker,
    get isAlive() {
      return isAlive;
    },
    query,
    async value<T>(text: string, values?: readonly unknown[]) {
      const [row = {}] = await query<Readonly<Record<string, T | null>>>(text, values);
      return Object.values(row)[0] ?? null;
    },
    run: async (text, values) => (await ask(text, values)).rowCount ?? 0,
    onNotification(listener) {
      client.on("notification", ({ payload = "" }) => listener(payload));
    },
    destroy,
    async end() {
      if (!isAlive) return destroy();
      isAlive = false;
      await within(ANSWER_MS, destroy, () => client.end()).catch(() => {});
      socket.destroy();
    },
  };
}

/** The server's texts have no NUL, so that one with it is found nowhere; nothing that is kept should have any. */
function withoutNul(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("\0", "\uFFFD");
  return Array.isArray(value) ? value.map(withoutNul) : value;
}

async function configOf(target: PostgresTarget): Promise<ClientConfig> {
  const { host, port, user, password, database, tls, authority } = target;
  const shared = {
    host,
    port,
    user,
    database,
    // Not what the environment says: the URL alone counts.
    password: password ?? (() => ""),
    application_name: "tickwatch",
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 2_000,
  };
  if (tls === "none") return { ...shared, ssl: false };
  const ca = authority === null ? {} : { ca: await readAuthority(authority) };
  const names = tls === "ca" ? { checkServerIdentity: () => undefined } : {};
  return { ...shared, ssl: { rejectUnauthorized: true, ...ca, ...names } };
}

async function readAuthority(path: string): Promise<string> {
  const file = `the file ${path} that sslrootcert= in \`store\` names`;
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    throw new StoreError("unwritable", `${file} cannot be read: check its name and rights`);
  }
  // Node would silently trust nobody.
  if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
  throw new StoreError("unwritable", `${file} holds no certificate: give the authority's as PEM`);
}

async function refuseOld(client: Client): Promise<void> {
  const { rows } = await client.query<{ version: string; name: string }>(
    `SELECT current_setting('server_version_num') AS version, current_setting('server_version') AS name`,
  );
  const [row] = rows;
  if (Number(row?.version ?? 0) < OLDEST_SERVER) {
    throw unusable("the database", `it is PostgreSQL ${row?.name ?? ""}: use 15 or later`);
  }
}

/** Runs `work`; if it takes longer, `end` is called, which makes it fail. */
async function within<T>(ms: number, end: () => void, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(end, ms);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A pooler that gives a connection to whoever has a transaction would mix sessions up: while one of two has a
 * transaction, each must find its own marker.
 */
export async function refusePooled(one: Session, other: Session, where: string): Promise<void> {
  await other.query("BEGIN");
  const seen = [await one.value<string>(MARKER), await other.value<string>(MARKER)];
  await other.query("COMMIT");
  if (seen[0] !== one.marker || seen[1] !== other.marker) throw pooled(where);
}

const MARKER = "SELECT current_setting('tickwatch.session', true)";

export function pooled(where: string): StoreError {
  return unusable(
    where,
    "a pooler between mixes sessions up: set its pool mode to session, or connect without it",
  );
}
