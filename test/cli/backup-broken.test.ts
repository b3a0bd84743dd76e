import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Connection, openConnection } from "../../src/store/sqlite/connection.ts";
import { startProgram } from "../support/program.ts";
import { fillDisk, mountSmallDisk, unmount } from "../support/small-disk.ts";
import { WHOLE } from "../support/tier.ts";
import { filled, pairsIn } from "./backup-files.ts";
import { type Ran, runTickwatch } from "./test-command.ts";

let folder: string;
let store: string;
let config: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-backup-"));
  store = join(folder, "tickwatch.db");
  config = await configFor(store);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function configFor(path: string): Promise<string> {
  const file = join(folder, "config.yaml");
  await writeFile(file, `store: ${path}\n`);
  return file;
}

/** In this process, where nobody kills it. */
const command = (...args: readonly string[]): Promise<Ran> =>
  runTickwatch([...args, "--config", config]);

describe("killed at any moment", () => {
  const PAIRS = 8_000;
  const kills = WHOLE ? 12 : 1;

  it.each(["backup", "restore", "compact"])("%s leaves a whole database", async (name) => {
    await filled(store, PAIRS);
    const copy = join(folder, "copy.db");
    const finished: unknown[] = [];
    // At least once before its end, also where this process is late to see that it has begun.
    for (let i = 0; i < kills || !finished.includes(null); i++) {
      const owner = { onTestFinished: () => {} };
      const args = name === "compact" ? [] : [copy, ...(name === "backup" ? ["--force"] : [])];
      if (name === "restore" && !existsSync(copy)) {
        expect((await command("backup", copy)).code).toBe(0);
      }
      const child = startProgram(owner, [name, ...args, "--config", config]);
      // From the first file that it makes on, at a moment that is another one each time.
      const part =
        name === "backup"
          ? `${copy}.part`
          : `${store}.${name === "restore" ? "restoring" : "compact"}`;
      const begun = async (): Promise<void> => {
        while (!existsSync(part)) await delay(1);
        await delay((i % kills) * 12);
      };
      await Promise.race([begun(), child.ended]);
      child.kill("SIGKILL");
      finished.push((await child.ended).code);
      // A daemon finds everything, or refuses until the restore is done.
      const opened = await openConnection(store).catch((error: unknown) => error);
      if (opened instanceof Error) {
        expect(name).toBe("restore");
        expect((await command("restore", copy)).code).toBe(0);
      } else (opened as Connection).close();
      expect(await pairsIn(store)).toEqual([PAIRS, PAIRS]);
      if (existsSync(copy)) expect(await pairsIn(copy)).toEqual([PAIRS, PAIRS]);
    }
    // Afterwards it works.
    if (name !== "restore" || !existsSync(copy)) await command("backup", copy, "--force");
    const args = name === "compact" ? [] : [copy, ...(name === "backup" ? ["--force"] : [])];
    expect((await command(name, ...args)).code).toBe(0);
    expect(await pairsIn(store)).toEqual([PAIRS, PAIRS]);
    expect(readdirSync(folder).filter((file) => /\.part|restoring|\.compact/.test(file))).toEqual(
      [],
    );
  });
});

const SIZE = 4 * 1024 * 1024;
const disk = mountSmallDisk(SIZE);
afterAll(() => {
  if (disk !== null) unmount(disk);
});

describe.skipIf(disk === null)("on a full disk", () => {
  it("each says so in one line, leaves nothing behind, and the database as it was", async () => {
    const small = disk ?? "";
    await filled(store, 200);
    const copy = join(folder, "copy.db");
    await command("backup", copy);
    const onDisk = join(small, "tickwatch.db");
    await configFor(onDisk);
    expect((await command("restore", copy)).code).toBe(0);
    fillDisk(join(small, "ballast"), SIZE);
    const before = readdirSync(small).toSorted();
    for (const args of [["backup", join(small, "copy.db")], ["restore", copy], ["compact"]]) {
      const end = await command(...args);
      expect(end).toMatchObject({ code: 4, out: "" });
      expect(end.err).toMatch(/^tickwatch: [^\n]*disk is full: free some space[^\n]*\n$/);
      expect(readdirSync(small).toSorted()).toEqual(before);
      expect(await pairsIn(onDisk)).toEqual([200, 200]);
    }
  });
});
