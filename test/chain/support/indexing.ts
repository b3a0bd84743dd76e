import { systemClock } from "../../../src/base/clock.ts";
import { Secret } from "../../../src/base/text.ts";
import { openChainDb } from "../../../src/chain/db/open.ts";
import { ChainTables } from "../../../src/chain/index/chain-tables.ts";
import { Indexer, type IndexerOptions } from "../../../src/chain/index/indexer.ts";
import { RpcNode } from "../../../src/chain/rpc/node.ts";
import { Nodes } from "../../../src/chain/rpc/nodes.ts";
import type { Database } from "../../../src/store/sqlite/driver.ts";

/** V4's pool manager, a V3 pool and a token of the tests. */
export const MANAGER = `0x${"4".repeat(40)}`;
export const POSITION_MANAGER = `0x${"5".repeat(40)}`;
export const V3_POSITION_MANAGER = `0x${"6".repeat(40)}`;
export const V3_POOL = `0x${"3".repeat(40)}`;
export const V4_POOL = `0x${"a".repeat(64)}`;
export const TOKEN = `0x${"e".repeat(40)}`;

export interface Indexing {
  readonly db: Database;
  readonly tables: ChainTables;
  readonly indexer: Indexer;
  readonly nodes: Nodes;
  /** What was reported: level and message. */
  readonly reports: string[];
  /** Reads all that there is to read. */
  readonly finish: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** An indexer of chain 1 on some nodes, on a database at `path`, which `finish` makes complete. */
export async function indexing(
  urls: readonly string[],
  { path = ":memory:", ...options }: Partial<IndexerOptions> & { readonly path?: string } = {},
): Promise<Indexing> {
  const reports: string[] = [];
  const db = await openChainDb(path);
  const tables = new ChainTables(db, 1);
  const report: IndexerOptions["report"] = (level, message) => {
    reports.push(`${level}: ${message}`);
  };
  const clock = systemClock();
  const nodes = new Nodes({
    chainId: 1,
    nodes: urls.map(
      (url, i) =>
        new RpcNode({
          url: new Secret(url),
          name: `node ${i + 1}`,
          requestsPerSecond: 100_000,
          timeoutMs: 10_000,
        }),
    ),
    report,
    now: () => clock.elapsed(),
  });
  const indexer = new Indexer({
    nodes,
    tables,
    clock,
    report,
    backgroundRate: () => 100_000,
    contracts: {
      manager: MANAGER,
      positionManager: POSITION_MANAGER,
      v3PositionManager: V3_POSITION_MANAGER,
    },
    ownersSince: 0,
    exactGas: true,
    days: 1,
    holders: [TOKEN],
    mostTransfers: 5_000_000,
    ...options,
  });
  return {
    db,
    tables,
    indexer,
    nodes,
    reports,
    async finish() {
      await indexer.level();
      while (await indexer.background()) await indexer.level();
    },
    async close() {
      await nodes.close();
      db.close();
    },
  };
}

/** All rows of all tables, to be compared with those of another database. */
export function contents(db: Database): Readonly<Record<string, readonly unknown[]>> {
  const tables = db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all();
  return Object.fromEntries(
    tables.map((table) => {
      const rows = db.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`).all();
      return [table, rows.map((row) => JSON.stringify(row)).toSorted()];
    }),
  );
}
