import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Server, startServer } from "../test/postgres/support/processes.ts";
import { inFolder, type Served, type SourceServer } from "./children.ts";
import { writeConfig } from "./configuration.ts";
import type { Figure, FigureGroup } from "./figures.ts";
import { benchPools, fewestRequests } from "./pools.ts";
import { spread } from "./spread.ts";

const MINUTE_MS = 60_000;
/** What is asked in a minute is over by then, and the next round has not begun. */
const LOOK_AT_MS = 55_000;
const PATIENCE_MS = 10 * MINUTE_MS;
const LOOK_MS = 50;
/** The longest that people are told. */
const TAKEOVER_BAR_MS = 20_000;

interface Daemon {
  readonly name: string;
  kill(): Promise<void>;
}

/** A real daemon of a cluster, as a process with its own configuration. */
function startDaemon(config: string, name: string): Daemon {
  const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  // The program reads its version beside the folder that it was compiled to.
  copyFileSync(here("../../../package.json"), here("../package.json"));
  const child: ChildProcess = spawn(
    process.execPath,
    [here("../src/main.js"), "run", "--config", config],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-2_000);
  });
  let isKilled = false;
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      if (!isKilled) console.error(`${name} ended by itself: ${said}`);
      resolve();
    });
  });
  return {
    name,
    async kill() {
      isKilled = true;
      child.kill("SIGKILL");
      await ended;
    },
  };
}

interface Cluster {
  readonly server: Server;
  readonly schema: string;
  readonly daemons: readonly Daemon[];
}

/** Starts so many daemons on one new store, and ends them after `use`. */
async function withCluster<T>(
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
      await settled(server, schema, daemons.length);
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
async function settled(
  server: Server,
  schema: string,
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
    if (Date.now() > deadline) throw new Error("the daemons do not share the work out");
  }
}

/** From the kill of a daemon that works until all that was its is another one's. */
export const takeover: FigureGroup = async ({ server: source, runs }) => {
  const took: number[] = [];
  for (let i = 1; i <= runs; i += 1) {
    console.error(`a takeover, run ${i} of ${runs}`);
    took.push(
      await withCluster(2, 100, source, async ({ server, schema, daemons }) => {
        const working = await settled(server, schema, 2);
        // At another moment between two renewals each time.
        await pause((i * 1_700) % 5_000);
        const victim = daemons.find(({ name }) => working.includes(name));
        if (victim === undefined) throw new Error("no daemon works");
        const began = performance.now();
        await victim.kill();
        await settled(server, schema, 1, victim.name);
        return performance.now() - began;
      }),
    );
  }
  const words = "from the kill of a daemon to the takeover of all that was its";
  return [{ words, value: spread(took), unit: "ms", bar: TAKEOVER_BAR_MS }];
};

const SUBJECTS = 100_000;
const DAEMONS = [1, 2, 3];

/** A round over 100,000 subjects by one, two and three daemons. */
export const cluster: FigureGroup = async ({ server: source, runs }) => {
  const found: Figure[] = [];
  for (const count of DAEMONS) {
    console.error(`${SUBJECTS} subjects on ${count} daemons, ${runs} rounds`);
    const rounds = await withCluster(count, SUBJECTS, source, () => roundsOf(source, runs));
    const figure = (words: string, unit: string, of: (one: Served) => number): Figure => ({
      words: `${SUBJECTS} subjects on ${count} daemons: ${words}`,
      value: spread(rounds.map(of)),
      unit,
      bar: null,
    });
    found.push(
      figure(
        "from the first request to the last answer",
        "ms",
        (one) => one.lastAnswerAt - one.firstRequestAt,
      ),
      figure("requests", `of ${fewestRequests(SUBJECTS)}`, ({ requests }) => requests),
      figure("asked for more than once", "subjects", ({ repeated }) => repeated),
    );
  }
  return found;
};

/** What is asked in so many whole minutes, without those of the start. */
async function roundsOf(source: SourceServer, runs: number): Promise<Served[]> {
  const rounds: Served[] = [];
  let whole = 0;
  for (const deadline = Date.now() + PATIENCE_MS; rounds.length < runs; ) {
    if (Date.now() > deadline) throw new Error("the daemons do not come to whole rounds");
    const now = Date.now() % MINUTE_MS;
    await pause(LOOK_AT_MS - now + (now >= LOOK_AT_MS ? MINUTE_MS : 0));
    const served = await source.take();
    if (served.requests < fewestRequests(SUBJECTS)) continue;
    whole += 1;
    // In the first one they looked at everything for the first time.
    if (whole > 1) rounds.push(served);
  }
  return rounds;
}
