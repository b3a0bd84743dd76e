import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    include: ["test/**/*.test.ts"],
    pool: "forks",
    // The tests start servers and databases; more workers than this slow each other down.
    maxWorkers: 2,
    // Several processes of a test on a busy machine; nothing here is meant to take a tenth of it.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
