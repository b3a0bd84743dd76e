import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The tests that need an EVM node and the contracts of Uniswap. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    environment: "node",
    pool: "forks",
    include: ["test/node/**/*.test.ts"],
    // Two cores: a node of its own for each file, and the file itself.
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
