import {
  chmod,
  copyFile,
  link,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { NO_CHANGE } from "../../../src/model/index.ts";
import { openOperatorDb } from "../../../src/store/operator-db/operator-db.ts";
import { readStatus } from "../../../src/store/operator-db/read-status.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { alert, owing } from "../store-suite.ts";
import { type SqlitePlace, sqlitePlace } from "./place.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

async function used(): Promise<void> {
  const store = await place.open();
  await store.commit({ ...NO_CHANGE, alerts: [alert("r", "s")] });
  await store.close();
}

/** Of each file of the database that is there. */
async function modes(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const end of ["", "-wal", "-shm", ".lock"]) {
    const file = await stat(place.path + end).catch(() => null);
    if (file !== null) found[end] = (file.mode & 0o777).toString(8);
  }
  return found;
}

/** A copy of the files as they are while a daemon uses them: what a kill leaves. */
async function killed(ends: readonly string[]): Promise<SqlitePlace> {
  await used();
  const store = await place.open();
  await store.commit(owing("n1"));
  const copy = await sqlitePlace();
  for (const end of ends) await copyFile(place.path + end, copy.path + end);
  if (ends.includes(".lock")) await keepTimes(copy.path);
  await store.close();
  onTestFinished(() => copy.remove());
  return copy;
}

/** Gives a copy and its lock the times of the original, as if they had stayed in place. */
async function keepTimes(path: string): Promise<void> {
  for (const end of ["", ".lock"]) {
    const { mtimeMs } = await stat(place.path + end);
    await utimes(path + end, mtimeMs / 1_000, mtimeMs / 1_000);
  }
}

async function refusal(path: string = place.path): Promise<{ reason: string; message: string }> {
  const error: unknown = await openSqliteStore(path).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    name: "StoreError",
    message: expect.stringMatching(/^[^\n]{20,400}$/),
  });
  return error as { reason: string; message: string };
}

describe.skipIf(process.platform === "win32")("the files of a database", () => {
  it("are for their owner alone whatever the umask is", async () => {
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const store = await place.open();
    await store.commit(owing("n1"));
    expect(await modes()).toEqual({ "": "600", "-wal": "600", "-shm": "600", ".lock": "600" });
    await rm(place.path);
    await store.close();
    expect((await modes())[""]).toBe("600");
  });

  it("are taken away from others where they were theirs", async () => {
    const copy = await killed(["", "-wal", "-shm"]);
    await writeFile(`${copy.path}.lock`, "");
    for (const end of ["", "-wal", "-shm", ".lock"]) await chmod(copy.path + end, 0o644);
    const other = place;
    place = copy;
    const store = await place.open();
    expect(await modes()).toEqual({ "": "600", "-wal": "600", "-shm": "600", ".lock": "600" });
    expect(await store.owed()).toEqual(new Map([["lp", 1]]));
    await store.close();
    place = other;
  });
});

describe.runIf(process.getuid?.() === 0)(
  "a database that root may use although its mode is 000",
  () => {
    it("has a log and an index for their owner alone", async () => {
      await used();
      await chmod(place.path, 0);
      const store = await place.open();
      await store.commit(owing("n2"));
      const { "": _, ...others } = await modes();
      expect(others).toEqual({ "-wal": "600", "-shm": "600", ".lock": "600" });
      await store.close();
    });
  },
);

describe("a database that is not what it was", () => {
  it("is not new when it is empty and was used before", async () => {
    await used();
    await writeFile(place.path, "");
    await expect(readStatus(place.path)).rejects.toMatchObject({ reason: "corrupt" });
    expect(await refusal()).toMatchObject({
      reason: "corrupt",
      message: expect.stringContaining("it is empty, but was not when it was last used"),
    });
    expect((await stat(place.path)).size).toBe(0);
  });

  it("is not new when its log was taken away", async () => {
    const copy = await killed(["", "-shm"]);
    const bytes = await readFile(copy.path);
    await expect(readStatus(copy.path)).rejects.toMatchObject({ reason: "corrupt" });
    expect(await refusal(copy.path)).toMatchObject({
      reason: "corrupt",
      message: expect.stringContaining("-wal, which is missing"),
    });
    expect(bytes.equals(await readFile(copy.path))).toBe(true);
  });

  it.each<[string, (log: Buffer) => Buffer]>([
    ["is cut", (log) => log.subarray(0, 4_000)],
    ["lost its last byte", (log) => log.subarray(0, log.length - 1)],
    ["is another file", (log) => Buffer.alloc(log.length, "x")],
    ["is all zeros", (log) => Buffer.alloc(log.length)],
    [
      "has one other bit",
      (log) => Buffer.from(log.map((byte, at) => (at === 100 ? byte ^ 1 : byte))),
    ],
  ])("is not new when its log %s", async (_, damage) => {
    const copy = await killed(["", "-shm", "-wal"]);
    const log = damage(await readFile(`${copy.path}-wal`));
    await writeFile(`${copy.path}-wal`, log);
    // Nor does a look from beside make it look sound.
    await expect(readStatus(copy.path)).rejects.toMatchObject({ reason: "corrupt" });
    expect(await refusal(copy.path)).toMatchObject({
      reason: "corrupt",
      message: expect.stringContaining("-wal, which is damaged"),
    });
    expect(log.equals(await readFile(`${copy.path}-wal`))).toBe(true);
  });

  it("is read as it was killed, also where its index is of an earlier log", async () => {
    const copy = await killed(["", "-shm", "-wal"]);
    const index = await readFile(`${copy.path}-shm`);
    index[32] = (index[32] ?? 0) ^ 1;
    await writeFile(`${copy.path}-shm`, index);
    const store = await openSqliteStore(copy.path);
    expect(await store.owed()).toEqual(new Map([["lp", 1]]));
    await store.close();
  });

  it("is not believed when log and index were both taken away, until someone says so", async () => {
    const copy = await killed(["", ".lock"]);
    const bytes = await readFile(copy.path);
    await expect(readStatus(copy.path)).rejects.toMatchObject({ reason: "corrupt" });
    await expect(openOperatorDb(copy.path, true)).rejects.toMatchObject({ reason: "corrupt" });
    const { reason, message } = await refusal(copy.path);
    expect(reason).toBe("corrupt");
    expect(message).toContain(`${copy.path}-wal is missing`);
    expect(message).toContain(`remove ${copy.path}.lock`);
    expect(bytes.equals(await readFile(copy.path))).toBe(true);
    // As often as it is tried.
    expect((await refusal(copy.path)).message).toBe(message);
    await rm(`${copy.path}.lock`);
    await (await copy.open()).close();
    await (await copy.open()).close();
  });

  it("is believed when another program has put the log into it", async () => {
    const copy = await killed(["", "-wal", "-shm", ".lock"]);
    const shell = await copy.look();
    shell.prepare("SELECT count(*) FROM notices").get();
    shell.close();
    expect(await stat(`${copy.path}-wal`).catch(() => null)).toBeNull();
    const store = await copy.open();
    expect(await store.owed()).toEqual(new Map([["lp", 1]]));
    await store.close();
  });

  it("is believed when the daemon had written nothing since it put its log into it", async () => {
    await used();
    const store = await place.open();
    const copy = await sqlitePlace();
    onTestFinished(() => copy.remove());
    for (const end of ["", ".lock"]) await copyFile(place.path + end, copy.path + end);
    await keepTimes(copy.path);
    await store.close();
    const again = await copy.open();
    expect((await again.load()).alerts).toHaveLength(1);
    await again.close();
  });

  it("is said to miss what was in its log, where it came without its lock", async () => {
    const warnings: string[] = [];
    const open = async (path: string): Promise<void> => {
      const store = await openSqliteStore(path, { warn: (warning) => warnings.push(warning) });
      await store.close();
    };
    const copy = await killed([""]);
    await open(copy.path);
    expect(warnings).toEqual([expect.stringContaining("may be missing")]);
    // What was closed as it should be is not in doubt.
    await open(copy.path);
    await open(place.path);
    expect(warnings).toHaveLength(1);
  });

  it("is not made anew beside the log of one that is not there", async () => {
    const copy = await killed(["", "-shm", "-wal"]);
    const log = await readFile(`${copy.path}-wal`);
    await rename(copy.path, `${copy.path}.away`);
    expect((await refusal(copy.path)).message).toContain("put the database back");
    expect(log.equals(await readFile(`${copy.path}-wal`))).toBe(true);
    await rename(`${copy.path}.away`, copy.path);
    await (await copy.open()).close();
  });

  it("is left as it is when its end is missing", async () => {
    await used();
    const bytes = (await readFile(place.path)).subarray(0, 5 * 4096);
    await writeFile(place.path, bytes);
    expect(await refusal()).toMatchObject({
      reason: "corrupt",
      message: expect.stringContaining("its end is missing"),
    });
    expect(bytes.equals(await readFile(place.path))).toBe(true);
  });

  it("stays new when the first start fails, and gets no lock of which a later start makes something", async () => {
    await writeFile(place.path, "");
    const other = join(place.folder, "other.db");
    await link(place.path, other);
    expect((await refusal()).reason).toBe("leased");
    expect((await readdir(place.folder)).toSorted()).toEqual(["other.db", "tickwatch.db"]);
    await rm(other);
    await used();
  });

  it("is new where there was none, and where an empty file was put for it", async () => {
    await writeFile(place.path, "");
    await used();
    expect((await stat(place.path)).size).toBeGreaterThan(4096);
    await rm(place.path);
    const store = await place.open();
    expect((await store.load()).alerts).toEqual([]);
    await store.close();
  });
});

describe("another name of a database", () => {
  it("is refused when it is a hard link, before anything is written", async () => {
    const store = await place.open();
    const other = join(place.folder, "other.db");
    await link(place.path, other);
    expect(await refusal(other)).toMatchObject({
      reason: "leased",
      message: expect.stringContaining("hard link"),
    });
    await store.commit(owing("n1"));
    await store.close();
    await rm(other);
    const again = await place.open();
    expect(await again.owed()).toEqual(new Map([["lp", 1]]));
    await again.close();
  });

  it("is refused when it is a link to nowhere, which two would make together", async () => {
    const other = join(place.folder, "other.db");
    await symlink(place.path, other);
    expect(await refusal(other)).toMatchObject({ reason: "unwritable" });
    await used();
    const store = await openSqliteStore(other);
    expect((await refusal()).reason).toBe("leased");
    await store.close();
  });
});

describe("a process that is to end", () => {
  it("waits no longer for another's lock than it has time for", async () => {
    const ending = new AbortController();
    const store = await openSqliteStore(place.path, { ending: ending.signal });
    const other = await place.look();
    other.exec("BEGIN IMMEDIATE");
    ending.abort();
    const began = performance.now();
    const both = await Promise.allSettled([store.commit(owing("n1")), store.commit(owing("n2"))]);
    await expect(store.commit(owing("n3"))).rejects.toMatchObject({ reason: "unwritable" });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    other.exec("COMMIT");
    await store.commit(owing("n4"));
    expect(await store.owed()).toEqual(new Map([["lp", 1]]));
    other.close();
    await store.close();
  });
});
