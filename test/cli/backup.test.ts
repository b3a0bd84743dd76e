import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, type TestContext } from "vitest";
import { openConnection } from "../../src/store/sqlite/connection.ts";
import { runProgram } from "../support/program.ts";
import { WHOLE } from "../support/tier.ts";
import { daemonOn, filled, pairsIn } from "./backup-files.ts";
import { runTickwatch } from "./test-command.ts";

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

const command = (...args: readonly string[]) => runTickwatch([...args, "--config", config]);
/** In a process of its own, beside the daemon of this one. */
const beside = (test: TestContext, ...args: readonly string[]) =>
  runProgram(test, [...args, "--config", config]);

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

const COPIES = WHOLE ? 3 : 1;

describe("tickwatch backup", () => {
  it("is one moment of a database that a daemon goes on writing", async (test) => {
    const { held, write } = await daemonOn(store);
    for (let i = 0; i < 2_000; i++) await write();
    const ended = new AbortController();
    let written = 0;
    const writing = (async () => {
      while (!ended.signal.aborted) {
        await write();
        written += 1;
        if (written % 10 === 0) await delay(1);
      }
    })();
    const to = join(folder, "copy.db");
    for (let i = 0; i < COPIES; i++) {
      const end = await beside(test, "backup", to, "--force");
      expect(end).toMatchObject({ code: 0, err: "" });
      expect(end.out).toMatch(
        /^wrote \S+copy\.db: [\d.]+ [kM]B, [\d,]+ rows in \d+ tables, checked\n$/,
      );
      const [one, other] = await pairsIn(to);
      expect(one).toBe(other);
      expect(one).toBeGreaterThanOrEqual(2_000);
    }
    ended.abort();
    await writing;
    expect(written).toBeGreaterThan(100);
    held.close();
    expect(mode(to)).toBe("600");
    expect(readdirSync(folder).filter((name) => name.startsWith("copy"))).toEqual(["copy.db"]);
    // It can be used at once, without a warning.
    const warned: string[] = [];
    const again = await openConnection(to, { warn: (message) => void warned.push(message) });
    again.close();
    expect(warned).toEqual([]);
  });

  it("overwrites nothing without --force, and never the database itself", async () => {
    await filled(store, 10);
    const to = join(folder, "mine.txt");
    writeFileSync(to, "mine");
    symlinkSync(store, join(folder, "link.db"));
    mkdirSync(join(folder, "sub"));
    for (const [file, words] of [
      [to, "it exists already: choose another name, or use --force"],
      [store, "it belongs to the database itself"],
      [`${store}.lock`, "it belongs to the database itself"],
      [join(folder, "link.db"), "it belongs to the database itself"],
      [join(folder, "sub"), "it is not a file"],
      [join(folder, "nowhere", "x.db"), "its folder does not exist"],
    ] as const) {
      const force = file === to ? [] : ["--force"];
      const end = await command("backup", file, ...force);
      expect(end).toMatchObject({ code: 4, out: "" });
      expect(end.err).toContain(words);
      expect(end.err).toMatch(/^tickwatch: [^\n]+\n$/);
    }
    expect(readFileSync(to, "utf8")).toBe("mine");
    expect(await pairsIn(store)).toEqual([10, 10]);
    expect((await command("backup", to, "--force")).code).toBe(0);
    expect(await pairsIn(to)).toEqual([10, 10]);
  });

  it("refuses a database that is damaged or not there, and leaves nothing", async () => {
    const to = join(folder, "copy.db");
    const none = await command("backup", to);
    expect(none).toMatchObject({ code: 4, err: `tickwatch: there is no database at ${store}\n` });
    await filled(store, 200);
    const bytes = readFileSync(store);
    bytes.fill(0xa5, 40_960, 49_152);
    writeFileSync(store, bytes);
    const damaged = await command("backup", to);
    expect(damaged.code).toBe(4);
    expect(damaged.err).toMatch(/^tickwatch: \S+tickwatch\.db is damaged [^\n]+\n$/);
    expect(readdirSync(folder).filter((name) => name.startsWith("copy"))).toEqual([]);
  });
});

describe("tickwatch restore", () => {
  it("puts the backup in place and keeps what was there", async () => {
    await filled(store, 10);
    const to = join(folder, "copy.db");
    expect((await command("backup", to)).code).toBe(0);
    await filled(store, 5);
    expect(await pairsIn(store)).toEqual([15, 15]);
    chmodSync(to, 0o444);
    const end = await command("restore", to);
    expect(end).toMatchObject({ code: 0, err: "" });
    const [, kept = ""] = /^the previous database is kept as (\S+)$/m.exec(end.out) ?? [];
    expect(await pairsIn(store)).toEqual([10, 10]);
    expect(await pairsIn(kept)).toEqual([15, 15]);
    expect([mode(store), mode(kept)]).toEqual(["600", "600"]);
    expect(statSync(store).nlink).toBe(1);
    const again = await daemonOn(store);
    await again.write();
    again.held.close();
    expect(await pairsIn(store)).toEqual([11, 11]);
  });

  it("works where there is no database, or a damaged one", async () => {
    await filled(store, 10);
    const to = join(folder, "copy.db");
    await command("backup", to);
    writeFileSync(
      store,
      Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(8_192, 0xa5)]),
    );
    expect(await command("restore", to)).toMatchObject({ code: 0, err: "" });
    expect(await pairsIn(store)).toEqual([10, 10]);
    for (const name of readdirSync(folder)) {
      if (name.startsWith("tickwatch.db")) rmSync(join(folder, name));
    }
    expect(await command("restore", to)).toMatchObject({ code: 0, err: "" });
    expect(await pairsIn(store)).toEqual([10, 10]);
  });

  it("refuses beside a daemon, and what is no backup, with code 4", async (test) => {
    const { held, write } = await daemonOn(store);
    await write();
    const to = join(folder, "copy.db");
    await beside(test, "backup", to);
    for (const name of ["restore", "compact"]) {
      const end = await beside(test, name, ...(name === "restore" ? [to] : []));
      expect(end).toMatchObject({ code: 4, out: "" });
      expect(end.err).toContain(`is in use by another tickwatch (process ${process.pid})`);
    }
    await write();
    held.close();
    const text = join(folder, "text.db");
    writeFileSync(text, "not a database, but long enough to look at".repeat(10));
    for (const file of [text, join(folder, "nowhere.db"), store]) {
      const end = await command("restore", file);
      expect(end.code).toBe(4);
      expect(end.err).toMatch(/^tickwatch: [^\n]+\n$/);
    }
    expect(await pairsIn(store)).toEqual([2, 2]);
    expect(readdirSync(folder).filter((name) => /restoring|replaced|compact/.test(name))).toEqual(
      [],
    );
  });

  it("warns of a backup that was copied beside a daemon", async () => {
    const { held, write } = await daemonOn(store);
    await write();
    held.db.pragma("wal_checkpoint(TRUNCATE)");
    const to = join(folder, "copied.db");
    copyFileSync(store, to);
    held.close();
    const end = await command("restore", to);
    expect(end.code).toBe(0);
    expect(end.err).toMatch(/^warning: the backup was copied while it was in use[^\n]+\n$/);
  });
});

describe("tickwatch compact", () => {
  it("gives free space back and keeps every row", async () => {
    await filled(store, 2_000);
    const { held } = await daemonOn(store);
    held.db.exec("DELETE FROM one WHERE rowid % 4 > 0; DELETE FROM other WHERE rowid % 4 > 0");
    held.close();
    const end = await command("compact");
    expect(end).toMatchObject({ code: 0, err: "" });
    expect(end.out).toMatch(/^compacted \S+: [45]\.\d MB before, 1\.\d MB now\n$/);
    expect(await pairsIn(store)).toEqual([500, 500]);
    expect(mode(store)).toBe("600");
    expect(readdirSync(folder).toSorted()).toEqual([
      "config.yaml",
      "tickwatch.db",
      "tickwatch.db.lock",
    ]);
  });
});
