import { mkdir, mkdtemp, rename, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANNELS } from "../../../src/channels/index.ts";
import { loadSetup } from "../../../src/config/settings/load.ts";
import { KINDS } from "../../../src/kinds/index.ts";
import {
  CONFIGURATION_MARK,
  NO_CHANGE,
  RELOAD_MARK,
  type Setup,
} from "../../../src/model/index.ts";
import type { CheckEvent } from "../../../src/notices/self-event.ts";
import { stateFromText } from "../../../src/ops/reload/configuration-state.ts";
import { PostponedError } from "../../../src/ops/reload/current-rounds.ts";
import { LoadedFiles } from "../../../src/ops/reload/files.ts";
import { type Reloading, startReloading } from "../../../src/ops/reload/reloading.ts";
import { differences } from "../../../src/ops/reload/setup-parts.ts";
import type { Store } from "../../../src/store/store.ts";
import { createFakeClock } from "../../support/fake-clock.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { START } from "../../support/world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const config = (
  more = "",
): string => `service: {base_url: "http://127.0.0.1:1", api_key: "\${file:key}"}
rules: [rules/*.yaml]
channels: {terminal: {kind: console}}
${more}`;

const rule = (name: string, limit = 5): string =>
  `rules:\n  - {name: ${name}, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: ${limit} gwei}}\n`;

const BROKEN =
  "rules:\n  - {name: tips, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, abve: 5 gwei}}\n";

describe("a configuration that is edited while it runs", () => {
  let folder = "";
  let store: Store;
  let started: Reloading[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "tickwatch-reloading-"));
    store = createMemoryStore();
    started = [];
    await write("key", "twk_demo_0123456789");
    await write("config.yaml", config());
    await mkdir(join(folder, "rules"));
    await write("rules/a.yaml", rule("tips"));
  });
  afterEach(async () => {
    for (const one of started) await one.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);

  async function start() {
    const clock = createFakeClock(START);
    const log: { readonly level: number; readonly msg: string }[] = [];
    const told: CheckEvent[] = [];
    const followed: Setup[] = [];
    const read = async (files: LoadedFiles): Promise<Setup> => {
      const options = { env: {}, watches: KINDS, channels: CHANNELS };
      const { readFile, onPattern } = files;
      return (await loadSetup(join(folder, "config.yaml"), { ...options, readFile, onPattern }))
        .setup;
    };
    const files = new LoadedFiles();
    let live = await read(files);
    let trouble: string | null = null;
    const reloading = await startReloading({
      load: read,
      newFiles: () => new LoadedFiles(),
      first: { setup: live, files },
      follow: (next) => {
        if (trouble !== null) return Promise.reject(new PostponedError(trouble));
        const what = differences(live, next);
        live = next;
        followed.push(next);
        return Promise.resolve(what);
      },
      store,
      clock,
      log: pino(
        {},
        {
          write: (line: string) =>
            void log.push(JSON.parse(line) as { level: number; msg: string }),
        },
      ),
      found: (event) => {
        told.push(event);
        return Promise.resolve(true);
      },
    });
    started.push(reloading);
    return {
      reloading,
      told,
      followed,
      log,
      names: () => live.rules.map(({ name }) => name),
      state: async () => stateFromText(await store.mark(CONFIGURATION_MARK)),
      messages: () => log.map(({ msg }) => msg),
      troubled: (why: string | null) => {
        trouble = why;
      },
      /** Lets time pass, one look at the files after the other. */
      pass: async (ms: number) => {
        for (let left = ms; left > 0; left -= SECOND) {
          await clock.advance(SECOND);
          await reloading.idle();
        }
      },
    };
  }

  it("is not loaded while nobody edits it", async () => {
    const { pass, followed, messages } = await start();
    await pass(MINUTE);
    expect(followed).toEqual([]);
    expect(messages()).toEqual([]);
  });

  it("is loaded once its files have settled, and not before", async () => {
    const { pass, followed, names } = await start();
    await write("rules/a.yaml", "rules:\n  - {name: tips, wat");
    await pass(2 * SECOND);
    expect(followed).toEqual([]);
    // The rest of it comes.
    await write("rules/a.yaml", rule("tips", 7));
    await pass(2 * SECOND);
    expect(followed).toEqual([]);
    await pass(2 * SECOND);
    expect(followed).toHaveLength(1);
    expect(names()).toEqual(["tips"]);
    await pass(MINUTE);
    expect(followed).toHaveLength(1);
  });

  it("takes in one more file that a pattern matches, and lets go of one that is gone", async () => {
    const { pass, names, state } = await start();
    await write("rules/b.yaml", rule("more"));
    await pass(6 * SECOND);
    expect(names()).toEqual(["tips", "more"]);
    expect((await state())?.changes.rules).toEqual({ added: ["more"], changed: [], removed: [] });
    await unlink(join(folder, "rules/a.yaml"));
    await pass(6 * SECOND);
    expect(names()).toEqual(["more"]);
    expect((await state())?.changes.rules).toEqual({ added: [], changed: [], removed: ["tips"] });
  });

  it("follows a secret whose file has changed", async () => {
    const { pass, followed } = await start();
    await write("key~", "twk_demo_9876543210");
    await rename(join(folder, "key~"), join(folder, "key"));
    await pass(6 * SECOND);
    expect(followed.map(({ service }) => service.apiKey.reveal())).toEqual(["twk_demo_9876543210"]);
  });

  it("stays as it was with a mistake in it, of which people hear once and of its end", async () => {
    const { pass, followed, told, state, names } = await start();
    await write("rules/a.yaml", BROKEN);
    await pass(10 * SECOND);
    expect(followed).toEqual([]);
    expect((await state())?.failure).toMatchObject({ count: 1, told: false });
    expect((await state())?.failure?.problems[0]).toContain("rules/a.yaml:2:");
    expect(told).toEqual([]);
    await pass(2 * MINUTE);
    expect(told).toMatchObject([{ about: "configuration_refused", problems: 1 }]);
    // Another mistake is still the same trouble.
    await write("rules/a.yaml", `${BROKEN}nonsense: 1\n`);
    await pass(2 * MINUTE);
    expect(told).toHaveLength(1);
    expect((await state())?.failure?.count).toBe(2);
    await write("rules/a.yaml", rule("tips", 9));
    await pass(10 * SECOND);
    expect(told.map(({ about }) => about)).toEqual([
      "configuration_refused",
      "configuration_loaded",
    ]);
    expect((await state())?.failure).toBeNull();
    expect(names()).toEqual(["tips"]);
  });

  it("tells nobody of a mistake that is corrected within a minute", async () => {
    const { pass, told, followed } = await start();
    await write("rules/a.yaml", BROKEN);
    await pass(20 * SECOND);
    await write("rules/a.yaml", rule("tips", 6));
    await pass(3 * MINUTE);
    expect(told).toEqual([]);
    expect(followed).toHaveLength(1);
  });

  it.each([
    ["the configuration", "config.yaml"],
    ["the only rules file", "rules/a.yaml"],
    ["a secret", "key"],
  ])("goes on when %s vanishes, and loads it when it is back", async (_, name) => {
    const { pass, followed, state, messages } = await start();
    await rename(join(folder, name), join(folder, "elsewhere"));
    await pass(6 * SECOND);
    expect(followed).toEqual([]);
    expect((await state())?.failure?.count).toBeGreaterThan(0);
    await rename(join(folder, "elsewhere"), join(folder, name));
    await pass(6 * SECOND);
    expect((await state())?.failure).toBeNull();
    expect(messages().at(-1)).toContain("nothing in it has changed");
  });

  it("loads what is edited again while it is being loaded", async () => {
    const { reloading, pass, names } = await start();
    await write("rules/a.yaml", rule("first"));
    const loading = reloading.now();
    await write("rules/a.yaml", rule("second"));
    await loading;
    await pass(6 * SECOND);
    expect(names()).toEqual(["second"]);
  });

  it("with reload: signal is loaded only when somebody asks", async () => {
    await write("config.yaml", config("reload: signal"));
    const { pass, followed, reloading } = await start();
    await write("rules/a.yaml", rule("tips", 7));
    await pass(MINUTE);
    expect(followed).toEqual([]);
    await reloading.now();
    expect(followed).toHaveLength(1);
    // It can be taken back in the same way.
    await write("config.yaml", config("reload: auto"));
    await reloading.now();
    await write("rules/a.yaml", rule("tips", 8));
    await pass(6 * SECOND);
    expect(followed).toHaveLength(3);
  });

  it("is loaded for somebody beside the daemon, who is answered", async () => {
    const { pass, state } = await start();
    const ask = (id: string): Promise<void> =>
      store.commit({ ...NO_CHANGE, marks: [{ subject: RELOAD_MARK, value: id }] });
    await write("rules/a.yaml", BROKEN);
    await ask("one");
    await pass(2 * SECOND);
    expect(await state()).toMatchObject({ answered: "one", failure: { count: 1 } });
    await write("rules/a.yaml", rule("tips", 7));
    await ask("two");
    await pass(2 * SECOND);
    expect(await state()).toMatchObject({ answered: "two", failure: null });
  });

  it("waits while it is no time for it, and is loaded then", async () => {
    const { pass, followed, troubled, messages, state } = await start();
    troubled("the disk is full");
    await write("rules/a.yaml", rule("tips", 7));
    await pass(20 * SECOND);
    expect(followed).toEqual([]);
    expect(messages()).toEqual(["the configuration will be loaded later"]);
    expect((await state())?.failure).toBeNull();
    troubled(null);
    await pass(2 * SECOND);
    expect(followed).toHaveLength(1);
  });

  it("says what needs a restart", async () => {
    const { pass, state } = await start();
    await write("config.yaml", config("store: other.db"));
    await pass(6 * SECOND);
    expect((await state())?.needsRestart).toEqual(["store"]);
  });

  it("is told to be right again by the next start, if people knew", async () => {
    const first = await start();
    await write("rules/a.yaml", BROKEN);
    await first.pass(2 * MINUTE);
    expect(first.told).toHaveLength(1);
    await first.reloading.stop();
    await write("rules/a.yaml", rule("tips"));
    const second = await start();
    expect(second.told).toEqual([{ about: "configuration_loaded" }]);
    await second.reloading.stop();
    expect((await start()).told).toEqual([]);
  });
});
