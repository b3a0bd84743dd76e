/**
 * Runs floor and daemon in turn on the same work and prints what a subject costs.
 * `npm run bench -- --subjects 10000,100000 --runs 3 --changing 0.2 --json`
 */
import { parseArgs } from "node:util";
import { type Run, run, startSourceServer } from "./children.ts";
import { fewestRequests } from "./pools.ts";
import { BARS, type Result, summary, table } from "./table.ts";

const { values } = parseArgs({
  options: {
    subjects: { type: "string", default: "10000,100000" },
    runs: { type: "string", default: "3" },
    changing: { type: "string", default: "0.2" },
    json: { type: "boolean", default: false },
  },
});

/** Rounds that together take a few seconds. */
const SUBJECTS_A_RUN = 500_000;
const WARM_UP = 2;

const runs = wholeNumber(values.runs, "--runs");
const counts = values.subjects.split(",").map((text) => wholeNumber(text, "--subjects"));
const changing = Number(values.changing);
if (!(changing >= 0 && changing <= 1)) fail("--changing is a share from 0 to 1");

const server = await startSourceServer(changing);
const results: Result[] = [];
try {
  for (const subjects of counts) {
    const rounds = Math.max(3, Math.ceil(SUBJECTS_A_RUN / subjects));
    const task = { subjects, rounds, warmUp: WARM_UP };
    const floor: Run[] = [];
    const daemon: Run[] = [];
    for (let i = 1; i <= runs; i += 1) {
      console.error(`${subjects} subjects, ${rounds} rounds, run ${i} of ${runs}`);
      floor.push(await run("floor", task, server));
      daemon.push(await run("daemon", task, server));
    }
    results.push(summary(subjects, fewestRequests(subjects), floor, daemon));
  }
} finally {
  server.stop();
}

console.log(values.json ? JSON.stringify({ bars: BARS, results }, null, 2) : table(results));
process.exitCode = results.every((result) => result.misses.length === 0) ? 0 : 1;

function wholeNumber(text: string, name: string): number {
  const value = Number(text.replaceAll("_", ""));
  return Number.isInteger(value) && value > 0 ? value : fail(`${name}: "${text}" is no count`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
