/**
 * Runs floor and daemon in turn on the same work, and the program as its users do, and prints what it
 * costs beside what it may: `npm run bench -- --subjects 10000 --runs 3 --only window --json`
 */
import { parseArgs } from "node:util";
import { backtest } from "./backtest.ts";
import { type SourceServer, startSourceServer } from "./children.ts";
import { type Comparison, compare, SCENARIOS } from "./comparison.ts";
import { check, delivery, type Figure, type FigureGroup, help, list, restart } from "./figures.ts";
import { POSTGRES } from "./postgres.ts";
import { rpc } from "./rpc.ts";
import { small } from "./small.ts";
import { spread } from "./spread.ts";
import { isMissed, page } from "./table.ts";
import { web } from "./web.ts";

const FIGURES: Readonly<Record<string, FigureGroup>> = {
  delivery,
  restart,
  check,
  list,
  help,
  backtest,
  small,
  web,
  rpc,
};
const USAGE =
  "npm run bench -- [--store postgres] [--only NAME …] [--subjects N,…] [--runs N] [--changing SHARE] [--small-minutes N] [--json]";

const values = readOptions();
if (values.store !== undefined && values.store !== "postgres") fail("--store: postgres alone");
const [scenarios, groups] =
  values.store === undefined ? [SCENARIOS, FIGURES] : [[], { ...POSTGRES }];
const names: readonly string[] = [...scenarios.map(({ name }) => name), ...Object.keys(groups)];
if (values.help) {
  console.log(`${USAGE}\nNAME: ${names.join(", ")}`);
  process.exit(0);
}
const runs = wholeNumber(values.runs, "--runs");
const smallMinutes = wholeNumber(values["small-minutes"], "--small-minutes");
const counts = values.subjects.split(",").map((text) => wholeNumber(text, "--subjects"));
const changing = Number(values.changing);
if (!(changing >= 0 && changing <= 1)) fail("--changing is a share from 0 to 1");
const chosen = values.only ?? names;
for (const name of chosen) {
  if (!names.includes(name)) fail(`--only: "${name}" is none of ${names.join(", ")}`);
}

const comparisons: Comparison[] = [];
const figures: Figure[] = [];
const failures: string[] = [];
for (const scenario of scenarios.filter(({ name }) => chosen.includes(name))) {
  const compared: Comparison[] = [];
  for (const subjects of counts) {
    await attempt(`${scenario.words}, ${subjects} subjects`, async () => {
      const share = scenario.changing ?? changing;
      compared.push(await withServer(share, (server) => compare(scenario, subjects, runs, server)));
    });
  }
  comparisons.push(...compared);
  figures.push(...growth(compared));
}
for (const [name, group] of Object.entries(groups)) {
  if (!chosen.includes(name)) continue;
  console.error(name);
  await attempt(name, async () => {
    const options = { runs, counts, smallMinutes };
    const found = await withServer(changing, (server) => group({ ...options, server }));
    figures.push(...found);
  });
}

console.log(
  values.json
    ? JSON.stringify({ comparisons, figures, failures }, null, 2)
    : page(comparisons, figures),
);
for (const failure of failures) console.error(`FAILED: ${failure}`);
const missed = comparisons.some(({ misses }) => misses.length > 0) || figures.some(isMissed);
process.exitCode = missed || failures.length > 0 ? 1 : 0;

/** One measurement that fails takes no other with it. */
async function attempt(name: string, measurement: () => Promise<void>): Promise<void> {
  try {
    await measurement();
  } catch (error) {
    failures.push(`${name}: ${String(error)}`);
  }
}

/** With ten times the subjects each may cost 15% more, by itself and measured by the floor at the same size. */
function growth(compared: readonly Comparison[]): readonly Figure[] {
  const few = compared.find(({ subjects }) => subjects === 10_000);
  const many = compared.find(({ subjects }) => subjects === 100_000);
  if (few === undefined || many === undefined) return [];
  const figure = (what: string, of: (one: Comparison) => number): Figure => ({
    words: `${few.scenario}: ${what} at 100000 to that at 10000`,
    value: spread([of(many) / of(few)]),
    unit: "times",
    bar: 1.15,
  });
  return [
    figure("µs", ({ daemon }) => daemon.cpuMicrosPerSubject.median),
    figure("ratio", ({ cpuRatio }) => cpuRatio.median),
  ];
}

async function withServer<T>(share: number, use: (server: SourceServer) => Promise<T>): Promise<T> {
  const server = await startSourceServer(share);
  try {
    return await use(server);
  } finally {
    server.stop();
  }
}

function wholeNumber(text: string, name: string): number {
  const value = Number(text.replaceAll("_", ""));
  return Number.isInteger(value) && value > 0 ? value : fail(`${name}: "${text}" is no count`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

/** Ends the process for an unknown option, as for a wrong one. */
function readOptions() {
  try {
    return parseArgs({
      options: {
        subjects: { type: "string", default: "1000,10000,100000" },
        runs: { type: "string", default: "3" },
        changing: { type: "string", default: "0.2" },
        "small-minutes": { type: "string", default: "10" },
        only: { type: "string", multiple: true },
        json: { type: "boolean", default: false },
        store: { type: "string" },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return fail(`${String(error)}\n${USAGE}`);
  }
}
