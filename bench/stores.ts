import { type Server, startServer } from "../test/postgres/support/processes.ts";
import { inFolder, type Run, run } from "./children.ts";
import { SCENARIOS, taskOf } from "./comparison.ts";
import type { Figure, FigureGroup } from "./figures.ts";
import { type Load, LoadMeter } from "./server-load.ts";
import { spread } from "./spread.ts";

/** At most so many times the CPU of the daemon on SQLite. */
const CPU_BAR = 2;

interface OnServer extends Run {
  readonly load: Load;
}

/** The same daemon on the same work, on SQLite and on PostgreSQL in turn; both write durably. */
export const stores: FigureGroup = async ({ server: source, runs, counts }) => {
  const found: Figure[] = [];
  const server = await startServer({ settings: ["fsync=on"] });
  try {
    for (const scenario of SCENARIOS.filter(({ name }) => name !== "rule-each")) {
      for (const subjects of counts) {
        const task = taskOf(scenario, subjects);
        const sqlite: Run[] = [];
        const postgres: OnServer[] = [];
        for (let i = 1; i <= runs; i += 1) {
          console.error(`${scenario.words}: ${subjects} subjects on both, run ${i} of ${runs}`);
          sqlite.push(await inFolder((folder) => run("daemon", { ...task, folder }, source)));
          const schema = `bench_${scenario.name}_${subjects}_${i}`;
          const meter = new LoadMeter(server, schema);
          const store = server.url(schema);
          const look = (): Promise<void> => meter.look();
          const measured = await inFolder((folder) =>
            run("daemon", { ...task, folder, store }, source, [], look),
          );
          postgres.push({ ...measured, load: meter.load });
          await drop(server, schema);
        }
        found.push(...figuresOf(`${scenario.words}, ${subjects} subjects`, task, sqlite, postgres));
      }
    }
    return found;
  } finally {
    await server.close();
  }
};

async function drop(server: Server, schema: string): Promise<void> {
  await server.sql(`DROP SCHEMA ${schema} CASCADE`);
  await server.sql("CHECKPOINT");
}

function figuresOf(
  work: string,
  { subjects, rounds }: { readonly subjects: number; readonly rounds: number },
  sqlite: readonly Run[],
  postgres: readonly OnServer[],
): readonly Figure[] {
  const figure = (
    words: string,
    unit: string,
    values: readonly number[],
    bar: number | null = null,
  ): Figure => ({ words: `${work}: ${words}`, value: spread(values), unit, bar });
  const looks = subjects * rounds;
  const ratios = postgres.map(
    (one, i) => one.cpuMicrosPerSubject / (sqlite[i]?.cpuMicrosPerSubject ?? Number.NaN),
  );
  return [
    figure(
      "CPU a subject on SQLite",
      "µs",
      sqlite.map((one) => one.cpuMicrosPerSubject),
    ),
    figure(
      "CPU a subject on PostgreSQL",
      "µs",
      postgres.map((one) => one.cpuMicrosPerSubject),
    ),
    figure("CPU on PostgreSQL to that on SQLite", "times", ratios, CPU_BAR),
    figure(
      "the server's CPU a subject",
      "µs",
      postgres.map(({ load }) => (load.cpuMs * 1_000) / looks),
    ),
    figure(
      "a round on SQLite",
      "ms",
      sqlite.map((one) => one.wallMsPerRound),
    ),
    figure(
      "a round on PostgreSQL",
      "ms",
      postgres.map((one) => one.wallMsPerRound),
    ),
    figure(
      "commits on PostgreSQL",
      "a second",
      postgres.map(({ load }) => (load.commits * 1_000) / load.wallMs),
    ),
    figure(
      "the server's log a subject",
      "bytes",
      postgres.map(({ load }) => load.logged / looks),
    ),
  ];
}
