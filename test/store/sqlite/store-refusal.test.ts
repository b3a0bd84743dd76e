import { chmod, copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NO_CHANGE } from "../../../src/model/index.ts";
import { openConnection } from "../../../src/store/sqlite/connection.ts";
import { loadDriver } from "../../../src/store/sqlite/driver.ts";
import { NEWEST_FORMAT } from "../../../src/store/sqlite/schema.ts";
import { openSqliteStore, sqliteStore } from "../../../src/store/sqlite/store.ts";
import { StoreError } from "../../../src/store/store.ts";
import { WHOLE } from "../../support/tier.ts";
import { alert, owing, SERIES } from "../store-suite.ts";
import { type SqlitePlace, sqlitePlace } from "./place.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

/** The refusal of `path`: a StoreError whose message is one line that names the file. */
async function refusal(path: string = place.path): Promise<StoreError> {
  const error = await openSqliteStore(path).then(
    async (store) => {
      await store.close();
      return new Error("it was opened");
    },
    (reason: unknown) => reason,
  );
  if (!(error instanceof StoreError)) throw error;
  expect(error.message).toContain(path);
  expect(error.message).toMatch(/^[^\n]{20,400}$/);
  return error;
}

/** Checks that a refused file is left alone, and that nothing new lies beside it. */
async function untouched(check: () => Promise<void>): Promise<void> {
  const bytes = await readFile(place.path);
  const before = await readdir(place.folder);
  await check();
  expect(bytes.equals(await readFile(place.path))).toBe(true);
  expect(await readdir(place.folder)).toEqual(before);
}

async function filled(): Promise<void> {
  const store = await place.open();
  const runs = SERIES.map(({ id }) => ({ series: id, first: 1, last: 1, value: "1" }));
  await store.commit({ ...NO_CHANGE, series: SERIES, runs });
  await store.close();
}

describe("a database of a newer version", () => {
  it("is refused and left as it is", async () => {
    await filled();
    const db = await place.look();
    db.pragma("user_version = 99");
    db.close();
    await untouched(async () => {
      const error = await refusal();
      expect(error.reason).toBe("newer");
      expect(error.message).toContain("format 99");
    });
  });
});

describe("a database of a newer version whose process was killed", () => {
  it("keeps its write-ahead log for the version that wrote it", async () => {
    await filled();
    const killed = await sqlitePlace();
    const db = await place.look();
    db.pragma("user_version = 99");
    db.pragma("wal_checkpoint(TRUNCATE)");
    db.exec("CREATE TABLE newer (x)");
    for (const suffix of ["", "-wal"]) {
      await copyFile(place.path + suffix, killed.path + suffix);
    }
    db.close();
    const log = await readFile(`${killed.path}-wal`);
    expect(log.length).toBeGreaterThan(0);
    const bytes = await readFile(killed.path);
    expect((await refusal(killed.path)).reason).toBe("newer");
    expect(bytes.equals(await readFile(killed.path))).toBe(true);
    expect(log.equals(await readFile(`${killed.path}-wal`))).toBe(true);
    await killed.remove();
  });
});

describe("a file that is no database of ours", () => {
  it.each([
    ["text", Buffer.from("rules:\n  - name: my-range\n".repeat(500))],
    ["shorter than a header", Buffer.from("SQLite format 3\0")],
    ["a header and then noise", null],
    ["a header and nothing else", undefined],
  ])("is refused when it is %s", async (_, content) => {
    if (content === null) {
      await filled();
      const bytes = await readFile(place.path);
      await writeFile(place.path, bytes.fill(0xa5, 100));
    } else if (content === undefined) {
      await filled();
      await writeFile(place.path, (await readFile(place.path)).subarray(0, 100));
    } else {
      await writeFile(place.path, content);
    }
    await untouched(async () => {
      expect((await refusal()).reason).toBe("corrupt");
    });
  });

  it("is refused when another program made it", async () => {
    const db = await place.look();
    db.exec("CREATE TABLE theirs (x)");
    db.close();
    await untouched(async () => {
      const error = await refusal();
      expect(error.reason).toBe("corrupt");
      expect(error.message).toContain("another program made it");
    });
  });

  const tables = ["names", "alerts", "fence", "runs", "notices", "messages_open"];
  it.each(WHOLE ? tables : tables.slice(0, 2))(
    "is found out when the damage lies deeper: in %s",
    async (table) => {
      const store = await place.open();
      await store.commit({ ...NO_CHANGE, alerts: [alert("r", "s")] });
      const db = await place.look();
      const page = db
        .prepare<[string], number>("SELECT rootpage FROM sqlite_schema WHERE name = ?")
        .pluck()
        .get(table)!;
      db.close();
      await store.close();
      const bytes = await readFile(place.path);
      bytes.fill(0xff, (page - 1) * 4096, page * 4096);
      await writeFile(place.path, bytes);
      const opened = (): Promise<unknown> =>
        place.open().then(async (damaged) => {
          try {
            return await damaged.load();
          } finally {
            await damaged.close();
          }
        });
      const corrupt = { name: "StoreError", reason: "corrupt" };
      await expect(opened()).rejects.toMatchObject(corrupt);
      // The lease was given back, and the file is as it was.
      await expect(opened()).rejects.toMatchObject(corrupt);
      expect(bytes.equals(await readFile(place.path))).toBe(true);
    },
  );

  it("is a new one when the file is empty or absent", async () => {
    await writeFile(place.path, "");
    await filled();
    const db = await place.look();
    expect(db.pragma("user_version", { simple: true })).toBe(NEWEST_FORMAT);
    expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
    db.close();
  });
});

describe("a place that cannot be written", () => {
  it.each([
    ["lies in a folder that is not there", "no/such/tickwatch.db", "folder does not exist"],
    ["lies under a file", "file/tickwatch.db", "folder does not exist"],
    ["is a folder", "sub", "not a file"],
  ])("is refused when it %s", async (_, name, words) => {
    await writeFile(join(place.folder, "file"), "x");
    await mkdir(join(place.folder, "sub"));
    const error = await refusal(join(place.folder, name));
    expect(error.reason).toBe("unwritable");
    expect(error.message).toContain(words);
    expect((await readdir(place.folder)).toSorted()).toEqual(["file", "sub"]);
  });

  it.skipIf(process.getuid?.() === 0)("is refused when its folder cannot be written", async () => {
    await chmod(place.folder, 0o500);
    expect((await refusal()).reason).toBe("unwritable");
    await chmod(place.folder, 0o700);
  });

  it("is refused when the lock cannot be made", async () => {
    await mkdir(`${place.path}.lock`);
    expect((await refusal()).reason).toBe("unwritable");
  });

  it("rolls a commit back whole when the disk is full, and goes on when it is not", async () => {
    const connection = await openConnection(place.path);
    const store = sqliteStore(connection);
    await store.commit(owing("before"));
    const { db } = connection;
    db.pragma(`max_page_count = ${String(db.pragma("page_count", { simple: true }))}`);
    const big = {
      ...owing("after"),
      alerts: [alert("r", "s")],
      versions: [{ version: "v", source: "x".repeat(1_000_000) }],
    };
    const failure = await store.commit(big).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "StoreError", reason: "unwritable" });
    expect((failure as Error).message).toMatch(/^cannot write .*full: free some space.*$/);
    expect((await store.load()).alerts).toEqual([]);
    expect(await store.owed()).toEqual(new Map([["lp", 1]]));

    db.pragma("max_page_count = 1000000");
    await store.commit(big);
    expect((await store.load()).alerts).toEqual([alert("r", "s")]);
    expect(await store.owed()).toEqual(new Map([["lp", 2]]));
    await store.close();
  });

  it("waits for another program's write without holding the event loop", async () => {
    const store = await place.open();
    await store.commit({ ...NO_CHANGE, alerts: [alert("r", "s")] });
    const other = await place.look();
    other.exec("BEGIN IMMEDIATE");
    let done = false;
    const commit = store.commit(owing("n1")).then(() => {
      done = true;
    });
    expect(await store.owed()).toEqual(new Map());
    expect(done).toBe(false);
    other.exec("COMMIT");
    await commit;
    expect(await store.owed()).toEqual(new Map([["lp", 1]]));
    await store.commit({ ...NO_CHANGE, alerts: [alert("r", "other")] });
    expect(await store.load()).toMatchObject({
      alerts: [{ subject: "s" }, { subject: "other" }],
    });
    other.close();
    await store.close();
  });
});

describe("the driver", () => {
  it("is the one that works on this Node", async () => {
    const driver = await loadDriver();
    const db = new driver(":memory:");
    expect(db.prepare("SELECT 1").pluck().get()).toBe(1);
    db.close();
  });

  // On a newer Node both may be there, and loading the wrong one may end the process.
  it.runIf(Number.parseInt(process.versions.node, 10) < 22)(
    "is named in one line with what to do when it is not installed",
    async () => {
      const failure = await loadDriver("24.1.0").catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: "StoreError", reason: "no_driver" });
      expect((failure as Error).message).toMatch(
        /^the SQLite driver better-sqlite3-node22 does not load on Node 24\.1\.0 .*npm ci.*$/,
      );
    },
  );
});
