import { inFolder, run, type SourceServer } from "./children.ts";
import { runCommand } from "./cli.ts";
import { ruleText, writeConfig } from "./configuration.ts";
import { benchPools } from "./pools.ts";
import { startReceiver } from "./receiver.ts";
import { type Spread, spread } from "./spread.ts";

/** One number that stands for itself. */
export interface Figure {
  readonly words: string;
  readonly value: Spread;
  readonly unit: string;
  /** At most so much; null: reported only. */
  readonly bar: number | null;
}

export interface FigureOptions {
  readonly server: SourceServer;
  readonly runs: number;
  /** How many subjects there are, one size after the other, where the figure has no size of its own. */
  readonly counts: readonly number[];
  /** How long the small configuration runs after its first minute. */
  readonly smallMinutes: number;
}

export type FigureGroup = (options: FigureOptions) => Promise<readonly Figure[]>;

const SUBJECTS = 10_000;
const ALERTS = 20;
const RESTARTED = 100_000;
const RULES_A_FILE = 1_000;
const MINUTE_MS = 60_000;

/** How long after the last answer of a round the last of its notices is there. */
export const delivery: FigureGroup = async ({ server, runs }) => {
  const waits: number[] = [];
  const poor = benchPools(SUBJECTS)
    .slice(-ALERTS)
    .map(({ id }) => id);
  for (let i = 1; i <= runs; i += 1) {
    console.error(`${ALERTS} alerts among ${SUBJECTS} subjects, run ${i} of ${runs}`);
    const receiver = await startReceiver();
    try {
      const { lastAnswerAt } = await inFolder((folder) => {
        const work = "threshold" as const;
        const task = { subjects: SUBJECTS, rounds: 1, warmUp: 3, work, sink: receiver.url, folder };
        return run("daemon", task, server, poor);
      });
      const told = receiver.posts.filter(({ body }) => poor.some((id) => body.includes(id)));
      const missing = poor.filter((id) => !told.some(({ body }) => body.includes(id)));
      if (missing.length > 0) throw new Error(`${missing.length} alerts were not told`);
      waits.push(Math.max(...told.map(({ at }) => at)) - lastAnswerAt);
    } finally {
      receiver.stop();
    }
  }
  return [
    {
      words: `last answer to last notice, ${ALERTS} alerts of ${SUBJECTS} subjects`,
      value: spread(waits),
      unit: "ms",
      bar: 250,
    },
  ];
};

/** A start on the database of an earlier run: the first round must look at everything. */
export const restart: FigureGroup = async ({ server, runs }) => {
  const opened: number[] = [];
  const openedCpu: number[] = [];
  const covered: number[] = [];
  await inFolder(async (folder) => {
    const task = {
      subjects: RESTARTED,
      rounds: 1,
      warmUp: 1,
      work: "threshold",
      sink: null,
      folder,
    } as const;
    await run("daemon", task, server);
    for (let i = 1; i <= runs; i += 1) {
      console.error(`a restart with ${RESTARTED} alert states, run ${i} of ${runs}`);
      const startsLaterMs = i * 10 * MINUTE_MS;
      const again = await run("daemon", { ...task, startsLaterMs }, server);
      opened.push(again.openMs ?? Number.NaN);
      openedCpu.push(again.openCpuMs ?? Number.NaN);
      covered.push(again.firstRoundMs);
    }
  });
  return [
    {
      words: `start with ${RESTARTED} alert states in the database`,
      value: spread(opened),
      unit: "ms",
      bar: 2_000,
    },
    { words: "its CPU", value: spread(openedCpu), unit: "ms", bar: null },
    { words: "its first round, which looks at all", value: spread(covered), unit: "ms", bar: null },
  ];
};

/** Large configurations, read by the command line. */
export const check: FigureGroup = async ({ runs }) => {
  const rules = benchPools(SUBJECTS).map((pool, i) =>
    ruleText(`bench-${i}`, pool, "threshold", true),
  );
  const files = Array.from({ length: SUBJECTS / RULES_A_FILE }, (_, i) =>
    rules.slice(i * RULES_A_FILE, (i + 1) * RULES_A_FILE).join(""),
  );
  const taken = await checked(files, runs);
  return [
    { words: `check of ${SUBJECTS} rules`, value: taken.wallMs, unit: "ms", bar: 3_000 },
    { words: "its CPU", value: taken.cpuMs, unit: "ms", bar: null },
  ];
};

/** One rule over many pools, which are all listed in one file. */
export const list: FigureGroup = async ({ runs }) => {
  const entries = benchPools(RESTARTED).map(
    ({ chainId, id }) => `        - {id: "${id}", chain: ${chainId}}`,
  );
  const rule = `  - name: all
    when: {metric: tvl_usd, below: 1_000_000 usd}
    watch:
      kind: v4_pool
      pools:
${entries.join("\n")}
`;
  const taken = await checked([rule], runs);
  const words = `check of one rule with ${RESTARTED} pools`;
  return [
    { words, value: taken.wallMs, unit: "ms", bar: null },
    { words: "its memory", value: taken.peakMegabytes, unit: "MB", bar: null },
  ];
};

async function checked(
  rules: readonly string[],
  runs: number,
): Promise<Readonly<Record<"wallMs" | "cpuMs" | "peakMegabytes", Spread>>> {
  return await inFolder(async (folder) => {
    const files = { serviceUrl: "http://127.0.0.1:10009", sinkUrl: null, rules };
    const path = writeConfig(folder, files);
    const taken = [];
    for (let i = 0; i < runs; i += 1) taken.push(await runCommand(["check", "--config", path]));
    return {
      wallMs: spread(taken.map(({ wallMs }) => wallMs)),
      cpuMs: spread(taken.map(({ cpuMs }) => cpuMs)),
      peakMegabytes: spread(taken.map(({ peakMegabytes }) => peakMegabytes)),
    };
  });
}

/** What a person waits for who asks what there is. */
export const help: FigureGroup = async ({ runs }) => {
  const taken = [];
  for (let i = 0; i < runs + 2; i += 1) taken.push(await runCommand(["--help"]));
  const value = spread(taken.map(({ wallMs }) => wallMs));
  const cpu = spread(taken.map(({ cpuMs }) => cpuMs));
  return [
    { words: "--help", value, unit: "ms", bar: 300 },
    { words: "its CPU", value: cpu, unit: "ms", bar: null },
  ];
};
