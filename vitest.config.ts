import { dirname, resolve } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** True for the whole pass, of `npm run test:all`; see test/support/tier.ts. */
const WHOLE = process.env.TEST_TIER === "all";

/** These load modules of `src` by themselves, or anew: each has a process of its own. */
const FRESH = [
  "test/config/templates.test.ts",
  "test/kinds/index.test.ts",
  "test/notices/notice.test.ts",
];

const SOURCE = `${resolve("src")}/`;
const BUILT = `${resolve("dist")}/`;

/**
 * `npm test` has just built the program: there the tests are about what was built, which Node loads by itself. To
 * transform all of `src` for each worker costs as much as a fifth of the tests.
 */
const built = {
  name: "built",
  enforce: "pre" as const,
  resolveId(id: string, importer?: string): string | null {
    if (importer === undefined || !id.startsWith(".")) return null;
    const path = resolve(dirname(importer), id);
    if (!path.startsWith(SOURCE) || path.startsWith(`${SOURCE}web/page/client/`)) return null;
    return path.replace(SOURCE, BUILT).replace(/\.tsx?$/, ".js");
  },
};

const ALONE = "fresh";

/** What waits most, for processes; what waits for sockets and timers; the rest computes. */
const GROUPS = [
  /\/test\/e2e\//,
  /\/test\/(?:(?:channels|cli|fetch|ops\/telegram)\/|(?:poll\/waiting-room|store\/failover)\.)/,
  /./,
];

/** None of what waits begins among the last tests, where nobody would be left to compute. */
const WAITING_SHARE = 0.85;

/**
 * Spreads what waits among what computes: begun together, they would leave the processor to nobody. What has a process
 * of its own comes first, since after it the process ends in which a next test would find everything loaded.
 */
class Spread extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const all = files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
    const byPath = all.filter(({ project }) => project.name !== ALONE);
    const groupOf = ({ moduleId }: TestSpecification): number =>
      GROUPS.findIndex((pattern) => pattern.test(moduleId));
    const placed = GROUPS.flatMap((_, group) => {
      const its = byPath.filter((file) => groupOf(file) === group);
      const share = group === GROUPS.length - 1 ? 1 : WAITING_SHARE;
      return its.map((file, i) => ({ file, at: (share * (i + 0.5)) / its.length }));
    });
    const alone = all.filter(({ project }) => project.name === ALONE);
    return Promise.resolve([
      ...alone,
      ...placed.toSorted((a, b) => a.at - b.at).map(({ file }) => file),
    ]);
  }
}

/**
 * In the short pass nearly nothing runs often enough for the optimizing compiler to pay: nine times the usual budget
 * before it is asked saves a tenth of the processor's time. From Node 22 on, V8 has a cheaper one in between.
 */
const RARELY_OPTIMIZED = process.versions.node.startsWith("20.")
  ? ["--interrupt-budget=600000"]
  : [];

export default defineConfig({
  test: {
    environment: "node",
    exclude: [...configDefaults.exclude, "test/node/**"],
    pool: "forks",
    // The whole pass has tests of many minutes, which must not be the last.
    ...(WHOLE ? {} : { sequence: { sequencer: Spread }, execArgv: RARELY_OPTIMIZED }),
    // More than CI has cores: many tests wait for a timer, a socket or another process. Those of the whole pass compute.
    maxWorkers: WHOLE ? 3 : 4,
    // Only what hangs takes so long, however busy the machine is: the whole pass has tests of hundreds of worlds.
    testTimeout: WHOLE ? 600_000 : 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000 } },
    env: { TEST_TIER: process.env.TEST_TIER ?? "short" },
    setupFiles: WHOLE ? [] : ["test/support/few-runs.ts"],
    globalSetup: WHOLE ? [] : ["test/support/in-memory.ts"],
    server: { deps: { external: [/\/dist\/.+\.js$/] } },
    projects: [
      {
        extends: true,
        plugins: process.env.TEST_BUILT === "1" ? [built] : [],
        test: {
          name: "parts",
          include: ["test/**/*.test.{ts,tsx}"],
          exclude: FRESH,
          // What they import is loaded once for each worker: none of it keeps a state that another file could see.
          isolate: false,
        },
      },
      { extends: true, test: { name: ALONE, include: FRESH } },
    ],
  },
});
