import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    include: ["test/**/*.test.{ts,tsx}"],
    exclude: [...configDefaults.exclude, "test/node/**"],
    pool: "forks",
    // What they import is loaded once for each worker: none of it keeps a state that another file could see.
    isolate: false,
    // One more than CI has cores: many tests wait for a timer, a socket or another process.
    maxWorkers: 3,
    // Only what hangs takes so long, however busy the machine is.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // `npm run test:all` says all; see test/support/tier.ts.
    env: { TEST_TIER: process.env.TEST_TIER ?? "short" },
  },
});
