import { setTimeout as pause } from "node:timers/promises";
import type { Served, SourceServer } from "./children.ts";
import { type Cluster, settled, warningsOf, withCluster } from "./cluster-daemons.ts";
import type { Figure, FigureGroup } from "./figures.ts";
import { fewestRequests } from "./pools.ts";
import { cpuMsOf, type Load, LoadMeter } from "./server-load.ts";
import { spread } from "./spread.ts";

const MINUTE_MS = 60_000;
/** What is asked in a minute is over by then, and the next round has not begun. */
const LOOK_AT_MS = 55_000;
/** So many minutes may pass without a round over everything. */
const MOST_BROKEN = 10;
/** The longest that people are told. */
const TAKEOVER_BAR_MS = 20_000;

/** From the kill of a daemon that works until all that was its is another one's. */
export const takeover: FigureGroup = async ({ server: source, runs }) => {
  const took: number[] = [];
  for (let i = 1; i <= runs; i += 1) {
    console.error(`a takeover, run ${i} of ${runs}`);
    took.push(
      await withCluster(2, 100, source, async (cluster) => {
        const working = await settled(cluster, 2);
        // At another moment between two renewals each time.
        await pause((i * 1_700) % 5_000);
        const victim = cluster.daemons.find(({ name }) => working.includes(name));
        if (victim === undefined) throw new Error("no daemon works");
        const began = performance.now();
        await victim.kill();
        await settled(cluster, 1, victim.name);
        return performance.now() - began;
      }),
    );
  }
  const words = "from the kill of a daemon to the takeover of all that was its";
  return [{ words, value: spread(took), unit: "ms", bar: TAKEOVER_BAR_MS }];
};

const DAEMONS = [1, 2, 3];

/** One minute, in which all daemons together looked at everything once. */
interface ClusterRound extends Served {
  /** Subjects of which the cluster wrote down that they could not be read. */
  readonly failed: number;
  /** Of all daemons in the whole minute, leases included. */
  readonly cpuMs: number;
  readonly load: Load;
}

interface Rounds {
  readonly rounds: readonly ClusterRound[];
  /** Minutes without a round over everything, after the first one. */
  readonly broken: number;
  /** Up to the end of the first one, in ms. */
  readonly firstMs: number;
}

/**
 * Rounds over the largest number of subjects by one, two and three daemons. They keep to the 1,000 requests a second that
 * a configuration can say at most, whatever the machine could do.
 */
export const cluster: FigureGroup = async ({ server: source, runs, counts }) => {
  const subjects = Math.max(...counts);
  const found: Figure[] = [];
  for (const count of DAEMONS) {
    console.error(`${subjects} subjects on ${count} daemons, ${runs} rounds`);
    const began = Date.now();
    try {
      const measured = await withCluster(count, subjects, source, (its) =>
        roundsOf(its, source, subjects, runs, began),
      );
      found.push(...figuresOf(count, subjects, measured));
    } catch (error) {
      // What was measured before stays.
      console.error(`FAILED: ${String(error)}`);
      const words = `${subjects} subjects on ${count} daemons could not be measured, see above`;
      found.push({ words, value: spread([1]), unit: "times", bar: 0 });
    }
  }
  return found;
};

function figuresOf(count: number, subjects: number, measured: Rounds): readonly Figure[] {
  const work = `${subjects} subjects on ${count} ${count === 1 ? "daemon" : "daemons"}`;
  const figure = (
    words: string,
    unit: string,
    of: (one: ClusterRound) => number,
    bar: number | null = null,
  ): Figure => ({
    words: `${work}: ${words}`,
    value: spread(measured.rounds.map(of)),
    unit,
    bar,
  });
  const fewest = fewestRequests(subjects);
  return [
    figure(
      `from the first request to the last answer (at least ${fewest} for the rate)`,
      "ms",
      (one) => one.lastAnswerAt - one.firstRequestAt,
    ),
    figure("requests", `of ${fewest}`, ({ requests }) => requests),
    figure("asked for more than once", "subjects", ({ repeated }) => repeated),
    figure("could not be read", "subjects", ({ failed }) => failed, 0),
    figure(
      "CPU of all daemons a subject, in a whole minute",
      "µs",
      (one) => (one.cpuMs * 1_000) / subjects,
    ),
    figure(
      "CPU of the server a subject, in a whole minute",
      "µs",
      (one) => (one.load.cpuMs * 1_000) / subjects,
    ),
    figure("commits", "a round", ({ load }) => load.commits),
    {
      words: `${work}: from the start of the server to the end of the first round over everything`,
      value: spread([measured.firstMs / 1_000]),
      unit: "s",
      bar: null,
    },
    {
      words: `${work}: minutes without a round over everything after that`,
      value: spread([measured.broken]),
      unit: `of ${measured.broken + measured.rounds.length}`,
      bar: 0,
    },
  ];
}

/** What is asked in so many whole minutes, without those of the start. */
async function roundsOf(
  its: Cluster,
  source: SourceServer,
  subjects: number,
  runs: number,
  began: number,
): Promise<Rounds> {
  const meter = new LoadMeter(its.server, its.schema);
  const rounds: ClusterRound[] = [];
  let firstMs: number | null = null;
  let broken = 0;
  let cpuMs = 0;
  while (rounds.length < runs) {
    const now = Date.now() % MINUTE_MS;
    await pause(LOOK_AT_MS - now + (now >= LOOK_AT_MS ? MINUTE_MS : 0));
    const served = await source.take();
    await meter.look();
    const before = cpuMs;
    cpuMs = its.daemons.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0);
    const failed = await failedIn(its);
    console.error(`${served.requests} requests, ${failed} subjects could not be read`);
    if (served.requests < fewestRequests(subjects)) {
      broken += 1;
      if (broken > MOST_BROKEN) {
        throw new Error(
          `in ${broken} minutes no round over everything, in the last one ${served.requests} of ${fewestRequests(subjects)} requests\n${warningsOf(its.daemons)}`,
        );
      }
    } else if (firstMs === null) {
      // They looked at everything for the first time.
      firstMs = served.lastAnswerAt - began;
      broken = 0;
    } else rounds.push({ ...served, failed, cpuMs: cpuMs - before, load: meter.load });
  }
  const warned = warningsOf(its.daemons);
  if (warned !== "") console.error(warned);
  return { rounds, broken, firstMs: firstMs ?? Number.NaN };
}

/** How many subjects of the newest round could not be read. */
async function failedIn({ server, schema }: Cluster): Promise<number> {
  const { rows } = await server.sql(
    `SELECT failed FROM ${schema}.rounds ORDER BY date DESC LIMIT 1`,
  );
  return Number(rows[0]?.failed ?? 0);
}
