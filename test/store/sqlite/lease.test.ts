import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { alert, owing } from "../store-suite.ts";
import { type SqlitePlace, sqlitePlace } from "./place.ts";

// Another process that holds the lease as a daemon does; it cannot run TypeScript.
const HOLDER = `
  const Driver = require(process.argv[1]);
  const lock = new Driver(process.argv[2] + ".lock", { timeout: 0 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    console.log("held");
    setInterval(() => lock.open, 1000);
  } catch (error) {
    console.log(error.code);
  }
`;
// Keeps a read lock, as a program does that copies the file under a lock.
const READER = `
  const Driver = require(process.argv[1]);
  const lock = new Driver(process.argv[2] + ".lock", { timeout: 0 });
  lock.exec("BEGIN");
  lock.prepare("SELECT 1 FROM sqlite_schema").get();
  console.log("reading");
  setInterval(() => lock.open, 1000);
`;
const DRIVER =
  Number.parseInt(process.versions.node, 10) >= 22 ? "better-sqlite3-node22" : "better-sqlite3";

function startHolder(path: string): ChildProcess {
  return spawn(process.execPath, ["-e", HOLDER, DRIVER, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [data] = (await once(child.stdout!, "data")) as [Buffer];
  return data.toString().trim();
}

describe("the lease", () => {
  let place: SqlitePlace;
  beforeEach(async () => {
    place = await sqlitePlace();
  });
  afterEach(() => place.remove());

  it("is refused while another process holds it, and freed when that one is killed", async () => {
    const before = await place.open();
    await before.commit(owing("n1"));
    await before.close();
    const bytes = await readFile(place.path);

    const holder = startHolder(place.path);
    expect(await firstLine(holder)).toBe("held");
    const start = performance.now();
    await expect(place.open()).rejects.toMatchObject({ name: "StoreError", reason: "leased" });
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(bytes.equals(await readFile(place.path))).toBe(true);

    holder.kill("SIGKILL");
    await once(holder, "exit");
    const after = await place.open();
    expect(await after.owed()).toEqual(new Map([["lp", 1]]));
    await after.close();
  });

  it("keeps another process out for as long as the store is open", async () => {
    const store = await place.open();
    const refused = startHolder(place.path);
    expect(await firstLine(refused)).toBe("SQLITE_BUSY");
    await once(refused, "exit");
    await store.close();
    const taken = startHolder(place.path);
    expect(await firstLine(taken)).toBe("held");
    taken.kill("SIGKILL");
    await once(taken, "exit");
  });

  it("is not kept from anybody by a program that only reads the lock", async () => {
    await (await place.open()).close();
    const reader = spawn(process.execPath, ["-e", READER, DRIVER, place.path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    expect(await firstLine(reader)).toBe("reading");
    const store = await place.open();
    await expect(place.open()).rejects.toMatchObject({ reason: "leased" });
    reader.kill("SIGKILL");
    await once(reader, "exit");
    // Another daemon that waited for the reader finds this one.
    await expect(place.open()).rejects.toMatchObject({ reason: "leased" });
    await store.close();
  });

  it("names the process that holds it, in one line, and disturbs it in nothing", async () => {
    const store = await place.open();
    const message = await place.open().then(
      () => "opened",
      (error: unknown) => (error as Error).message,
    );
    expect(message).toBe(
      `${place.path} is in use by another tickwatch (process ${process.pid}): ` +
        "stop that one, or set `store` to another file",
    );
    await store.commit({ ...owing("n1"), alerts: [alert("r", "s")] });
    await store.close();
  });

  it("is one lease for all names of a file", async () => {
    const store = await place.open();
    const other = join(place.folder, "other.db");
    await symlink(place.path, other);
    await expect(openSqliteStore(other)).rejects.toMatchObject({ reason: "leased" });
    await store.close();
  });
});

describe("the fence", () => {
  it("stops every write of a store after somebody else has opened the database", async () => {
    const place = await sqlitePlace();
    const store = await place.open();
    await store.commit(owing("n1"));
    await store.commit(owing("n2"));
    await store.freeze({ id: "m1", channel: "lp", notices: ["n1"], body: "", attempts: 1 }, 0);
    const other = await place.look();
    other.exec("UPDATE fence SET counter = counter + 1");

    const message = { id: "m2", channel: "lp", notices: ["n2"], body: "", attempts: 1 };
    for (const write of [
      () => store.commit({ ...owing("n3"), alerts: [alert("r", "s")] }),
      () => store.freeze(message, 0),
      () => store.settle("m1", { status: "sent", at: 1 }),
      () => store.wake("lp"),
      () => store.prune(1e13),
    ]) {
      await expect(write()).rejects.toMatchObject({ name: "StoreError", reason: "fenced" });
    }
    expect((await store.load()).alerts).toEqual([]);
    expect(await store.owed()).toEqual(new Map([["lp", 2]]));
    other.close();
    await store.close();
    await place.remove();
  });
});
