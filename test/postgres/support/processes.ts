import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../../support/free-port.ts";

/** The folder of the programs, the newest version of several; null: PostgreSQL is not installed. */
const PROGRAMS = findPrograms();

/** Whether PostgreSQL's programs are there. */
export function hasPostgres(): boolean {
  return PROGRAMS !== null;
}

function findPrograms(): string | null {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).map(Number) : [];
  const newest = Math.max(
    0,
    ...versions.filter((one) => existsSync(join(root, `${one}`, "bin", "initdb"))),
  );
  if (newest > 0) return join(root, `${newest}`, "bin");
  const found = spawnSync("sh", ["-c", "command -v initdb"], { encoding: "utf8" });
  return found.status === 0 ? found.stdout.trim().replace(/\/initdb$/, "") : null;
}

/** The server refuses to run as root. */
export function unprivileged(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const idOf = (flag: string): number =>
    Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

export interface Server {
  /** Of the process that starts all others; null: it is stopped. */
  readonly pid: number | null;
  readonly port: number;
  readonly folder: string;
  /** The URL of a database on it: by default the first, as the owner of everything. */
  url(schema: string, options?: { readonly user?: string; readonly port?: number }): string;
  /** A connection of an administrator. */
  admin(): Promise<pg.Client>;
  /** One statement of an administrator. */
  sql(text: string): Promise<pg.QueryResult<Record<string, unknown>>>;
  /** Ends every connection of tickwatch. */
  cut(): Promise<void>;
  /** Stops it as a power failure would; `start` goes on with what it had. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface ServerOptions {
  /** Where its files are to be; default: a temporary folder. */
  readonly folder?: string;
  /** Lines of postgresql.conf, as `-c` takes them. */
  readonly settings?: readonly string[];
  /** Further arguments of initdb. */
  readonly initdb?: readonly string[];
  /** Changes what initdb made, before the first start. */
  readonly prepare?: (data: string) => void;
  /** It is a copy of that server, which it follows until it is promoted. */
  readonly standbyOf?: Server;
}

/** A server of its own on loopback, in which everybody is trusted. */
export async function startServer({
  folder = mkdtempSync(join(tmpdir(), "tickwatch-pg-")),
  settings = [],
  initdb = [],
  prepare = () => {},
  standbyOf,
}: ServerOptions = {}): Promise<Server> {
  if (PROGRAMS === null) throw new Error("PostgreSQL is not installed");
  const programs = PROGRAMS;
  const user = unprivileged();
  const own = (path: string): void => {
    if (user !== null) chownSync(path, user.uid, user.gid);
  };
  chmodSync(folder, 0o700);
  own(folder);
  const data = join(folder, "data");
  const make = (program: string, ...given: readonly string[]): void => {
    execFileSync(join(programs, program), ["-D", data, "--no-sync", ...given], {
      ...user,
      cwd: "/",
      stdio: "pipe",
    });
  };
  if (standbyOf === undefined) {
    make("initdb", "-A", "trust", "-U", "owner", "-E", "UTF8", "--locale=C.UTF-8", ...initdb);
  } else {
    const from = ["-h", "127.0.0.1", "-p", `${standbyOf.port}`, "-U", "owner"];
    make("pg_basebackup", ...from, "--write-recovery-conf", "--checkpoint=fast");
  }
  prepare(data);
  const port = await freePort();
  let child: ChildProcess | null = null;
  const args = [
    ["-D", data, "-p", `${port}`],
    ["listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`, "fsync=off"].flatMap(
      (one) => ["-c", one],
    ),
    settings.flatMap((one) => ["-c", one]),
  ].flat();
  const connection = { host: "127.0.0.1", port, user: "owner", database: "postgres" };
  const admin = async (): Promise<pg.Client> => {
    const client = new pg.Client({ ...connection, application_name: "test" });
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  const sql: Server["sql"] = async (text) => {
    const client = await admin();
    try {
      return await client.query(text);
    } finally {
      await client.end();
    }
  };
  const server: Server = {
    get pid() {
      return child?.pid ?? null;
    },
    port,
    folder,
    url: (schema, options = {}) =>
      `postgres://${options.user ?? "owner"}@127.0.0.1:${options.port ?? port}/postgres?schema=${schema}&sslmode=disable`,
    admin,
    sql,
    cut: async () => {
      await sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tickwatch'",
      );
    },
    async start() {
      child = spawn(join(programs, "postgres"), args, {
        ...user,
        cwd: "/",
        stdio: ["ignore", "ignore", "pipe"],
      });
      let said = "";
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        said = (said + text).slice(-4_000);
      });
      const ended = once(child, "exit");
      for (let tries = 0; ; tries += 1) {
        try {
          await sql("SELECT 1");
          return;
        } catch (error) {
          if (tries > 600 || child.exitCode !== null) {
            throw new Error(`the server did not start: ${said}`, { cause: error });
          }
          await Promise.race([delay(50), ended]);
        }
      }
    },
    async stop() {
      const its = child;
      child = null;
      if (its === null || its.exitCode !== null) return;
      const ended = once(its, "exit");
      // Immediate: nothing is written any more, and the next start recovers.
      its.kill("SIGQUIT");
      await ended;
    },
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}
