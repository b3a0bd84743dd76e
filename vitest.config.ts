import { configDefaults, defineConfig } from "vitest/config";

/** Whole daemons: each of these files has a process of its own. */
const ALONE = ["test/crash/**", "test/e2e/**", "test/page/**"];

export default defineConfig({
  test: {
    environment: "node",
    exclude: [...configDefaults.exclude, "test/node/**"],
    pool: "forks",
    // One more than CI has cores: many tests wait for a timer, a socket or another process.
    maxWorkers: 3,
    // Only what hangs takes so long, however busy the machine is.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000 } },
    // `npm run test:all` says all; see test/support/tier.ts.
    env: { TEST_TIER: process.env.TEST_TIER ?? "short" },
    projects: [
      {
        extends: true,
        test: {
          name: "parts",
          include: ["test/**/*.test.{ts,tsx}"],
          exclude: ALONE,
          // What they import is loaded once for each worker: none of it keeps a state that another file could see.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: "daemon", include: ALONE.map((folder) => `${folder}/*.test.ts`) },
      },
    ],
  },
});
