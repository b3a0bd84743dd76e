import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Server, startServer } from "../test/postgres/support/processes.ts";
import { inFolder, type SourceServer } from "./children.ts";
import { writeConfig } from "./configuration.ts";
import { benchPools } from "./pools.ts";

const PATIENCE_MS = 600_000;
const LOOK_MS = 50;
/** Of what daemons warn of, so much is shown where something fails. */
const MOST_WARNINGS = 10;

/** A real daemon of a cluster, as a process with its own configuration. */
export interface Daemon {
  readonly name: string;
  readonly pid: number;
  /** What it warned of, as often as each came. */
  readonly warnings: ReadonlyMap<string, number>;
  kill(): Promise<void>;
}

function startDaemon(config: string, name: string): Daemon {
  const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  // The program reads its version beside the folder that it was compiled to.
  copyFileSync(here("../../../package.json"), here("../package.json"));
  const child: ChildProcess = spawn(
    process.execPath,
    [here("../src/main.js"), "run", "--config", config],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const warnings = new Map<string, number>();
  let rest = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const warning = warningOf(line);
      if (warning !== null) warnings.set(warning, (warnings.get(warning) ?? 0) + 1);
    }
  });
  let isKilled = false;
  const ended = new Promise<void>((resolve) => {
    child.once("exit", (code) => {
      if (!isKilled) warnings.set(`${name} ended by itself with code ${code}: ${rest}`, 1);
      resolve();
    });
  });
  return {
    name,
    pid: child.pid ?? 0,
    warnings,
    async kill() {
      isKilled = true;
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** What a line of a daemon's log warns of, in a form that comes again; null: nothing, or it is of the configuration. */
function warningOf(line: string): string | null {
  if (!line.startsWith("{")) return null;
  const { level, msg, reason, err } = JSON.parse(line) as {
    readonly level: string;
    readonly msg: string;
    readonly reason?: string;
    readonly err?: { readonly message: string };
  };
  if (level === "info") return null;
  return [msg, reason, err?.message].filter((one) => one !== undefined).join(": ");
}

/** What all of them warned of, for who looks for the reason of a failure; empty: of nothing. */
export function warningsOf(daemons: readonly Daemon[]): string {
  return daemons
    .flatMap(({ name, warnings }) =>
      [...warnings].slice(-MOST_WARNINGS).map(([text, times]) => `${name} (${times}×): ${text}`),
    )
    .join("\n");
}

export interface Cluster {
  readonly server: Server;
  readonly schema: string;
  readonly daemons: readonly Daemon[];
}

/** Starts so many daemons on one new store, and ends them after `use`. */
export async function withCluster<T>(
  count: number,
  subjects: number,
  source: SourceServer,
  use: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const server = await startServer({ settings: ["fsync=on"] });
  const schema = "bench";
  const daemons: Daemon[] = [];
  const pools = benchPools(subjects).map(({ chainId, id }) => `{id: "${id}", chain: ${chainId}}`);
  const rule = `  - {name: bench, watch: {kind: v4_pool, pools: [${pools.join(", ")}]}, when: {metric: tvl_usd, below: 1_000_000 usd}, notify: []}\n`;
  const begin = async (left: number): Promise<T> => {
    if (left === 0) return await use({ server, schema, daemons });
    return await inFolder(async (folder) => {
      const name = `daemon-${left}`;
      const store = `"${server.url(schema)}"\ncluster: {name: ${name}}`;
      const files = { serviceUrl: source.url, sinkUrl: null, store, rules: [rule] };
      daemons.push(startDaemon(writeConfig(folder, files), name));
      // The first one makes the tables.
      await settled({ server, schema, daemons }, daemons.length);
      return await begin(left - 1);
    });
  };
  try {
    return await begin(count);
  } finally {
    for (const one of daemons) await one.kill();
    await server.close();
  }
}

/** Resolves once so many members live and every lease belongs to one of them; to the names of those that have any. */
export async function settled(
  { server, schema, daemons }: Cluster,
  count: number,
  without = "",
): Promise<readonly string[]> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await pause(LOOK_MS)) {
    const { rows } = await server
      .sql(
        `SELECT (SELECT count(*) FROM ${schema}.members WHERE NOT dead)::integer AS living,
           count(*) FILTER (WHERE members.id IS NULL OR members.name = '${without}')::integer AS open,
           array_agg(DISTINCT members.name) AS names
         FROM ${schema}.leases LEFT JOIN ${schema}.members ON members.id = owner AND NOT dead`,
      )
      // The tables are not there yet.
      .catch(() => ({ rows: [] }));
    const [row] = rows as readonly { living: number; open: number; names: string[] }[];
    if (row !== undefined && row.living >= count && row.open === 0) return row.names;
    if (Date.now() > deadline) {
      throw new Error(`the daemons do not share the work out\n${warningsOf(daemons)}`);
    }
  }
}
