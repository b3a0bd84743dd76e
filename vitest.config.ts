import { defineConfig } from "vitest/config";

/** Processes, signals, full disks and environments: each of these files has a process of its own. */
const ALONE = [
  "test/cli/**",
  "test/crash/**",
  "test/e2e/**",
  "test/page/**",
  "test/store/sqlite/**",
];

export default defineConfig({
  test: {
    environment: "node",
    pool: "forks",
    // One more than CI has cores: many tests wait for a timer, a socket or another process.
    maxWorkers: 3,
    // Only what hangs takes so long, however busy the machine is.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // `npm run test:all` says all; see test/support/tier.ts.
    env: { TEST_TIER: process.env.TEST_TIER ?? "short" },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.{ts,tsx}"],
          exclude: [...ALONE, "test/node/**"],
          // What they import is loaded once: none of it keeps a state that the others could see.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: "system", include: ALONE.map((folder) => `${folder}/*.test.ts`) },
      },
    ],
  },
});
