import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { readSetup } from "../../src/cli/setup.ts";
import { createMemory } from "../../src/commit/load.ts";
import { openingChanges, versionOf } from "../../src/commit/startup.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import type { Store } from "../../src/store/store.ts";
import { type Ran, runTickwatch } from "./test-command.ts";

/** A configuration in a folder of its own, for commands that work beside a daemon. */
export interface DaemonFiles {
  readonly database: () => string;
  /** Opens the store as a running daemon holds it, until the end of the test. */
  open(): Promise<Store>;
  /** Writes into the open store what a daemon that starts now watches: the rules of the files. */
  start(): Promise<void>;
  /** Another text for a file, such as `rules.yaml`. */
  write(name: string, text: string): Promise<void>;
  /** The store that is open; null: none is. */
  readonly store: () => Store | null;
  readonly run: (...args: readonly string[]) => Promise<Ran>;
}

/** For one `describe`: each of its tests has the files anew. */
export function daemonFiles(
  config: string,
  rules: string,
  env: Readonly<Record<string, string>> = { KEY: "tw_0123456789" },
): DaemonFiles {
  let folder = "";
  let store: Store | null = null;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "tickwatch-cli-"));
    await writeFile(join(folder, "config.yaml"), config);
    await writeFile(join(folder, "rules.yaml"), rules);
    store = null;
  });
  afterEach(async () => {
    await store?.close();
    await rm(folder, { recursive: true, force: true });
  });
  const database = (): string => join(folder, "tickwatch.db");
  return {
    database,
    async open() {
      store = await openSqliteStore(database());
      return store;
    },
    async start() {
      if (store === null) throw new Error("no store is open");
      const { setup } = await readSetup(join(folder, "config.yaml"), { env });
      const memory = createMemory(setup.rules, KINDS, versionOf, await store.load());
      for (const change of openingChanges(memory, setup, Date.now())) await store.commit(change);
    },
    write: (name, text) => writeFile(join(folder, name), text),
    store: () => store,
    run: (...args) => runTickwatch([...args, "--config", join(folder, "config.yaml")], { env }),
  };
}
