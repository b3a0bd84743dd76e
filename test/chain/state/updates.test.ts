import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Header } from "../../../src/chain/codec/blocks.ts";
import { openChainDb } from "../../../src/chain/db/open.ts";
import { SeenTable } from "../../../src/chain/db/seen-table.ts";
import { Updates } from "../../../src/chain/state/updates.ts";
import type { Database } from "../../../src/store/sqlite/driver.ts";

let folder: string;
let db: Database;
let now = 0;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tickwatch-updates-"));
  db = await openChainDb(join(folder, "chain.db"));
  now = 0;
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

const begin = (chain = 1): Updates => new Updates(new SeenTable(db, chain), () => now);
const at = (number: number): Header => ({
  number,
  hash: `0x${number}`,
  parent: "0x",
  time: number * 12_000,
  baseFee: null,
  gasUsed: 0n,
  gasLimit: 0n,
});

it("a restart keeps since when a pool is as it is, and a change meanwhile is of the first reading", () => {
  const before = begin();
  before.note("v4:a", "1:1", at(10));
  before.note("v4:b", "1:1", at(10));
  before.write();
  const after = begin();
  expect(after.note("v4:a", "1:1", at(500))).toMatchObject({ block: 10, time: 120_000 });
  expect(after.note("v4:b", "2:1", at(500)).block).toBe(500);
  expect(after.note("v4:c", "1:1", at(500)).block).toBe(500);
  expect(begin(8453).note("v4:a", "1:1", at(500)).block).toBe(500);
});

it("what changed is written within five seconds, so that a kill loses no more", () => {
  const killed = begin();
  killed.note("v4:a", "1:1", at(10));
  now = 5_000;
  killed.note("v4:b", "1:1", at(11));
  expect(begin().note("v4:a", "1:1", at(20)).block).toBe(10);
});

it("a state of a block that the chain no longer has is seen anew", () => {
  const before = begin();
  before.note("v4:a", "1:1", at(10));
  before.write();
  expect(begin().note("v4:a", "1:1", at(9)).block).toBe(9);
});

it("a full disk spoils no reading", () => {
  const updates = begin();
  updates.note("v4:a", "1:1", at(10));
  db.exec("DROP TABLE seen");
  now = 6_000;
  expect(() => updates.note("v4:a", "2:1", at(11))).not.toThrow();
});
