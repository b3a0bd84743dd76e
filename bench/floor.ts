/**
 * The least that a round can cost: the batch endpoint over keep-alive connections, eight at once,
 * JSON.parse, and one upsert for each subject, all in one transaction.
 */
import { join } from "node:path";
import { Pool } from "undici";
import { loadDriver } from "../src/store/sqlite/driver.ts";
import { measure, readTask, report } from "./measure.ts";
import { API_KEY, BATCH, batchPaths, benchPools } from "./pools.ts";

const AT_ONCE = 8;

interface PoolRecord {
  readonly pool_id: string;
  readonly tvl_usd: number;
}

const task = readTask();
const paths = batchPaths(benchPools(task.subjects));
const client = new Pool(task.url, { connections: AT_ONCE, pipelining: 1 });
const database = new (await loadDriver())(join(task.folder, "floor.db"));
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");
database.exec("CREATE TABLE latest (subject INTEGER PRIMARY KEY, value REAL, at INTEGER)");
const upsert = database.prepare<[number, number, number]>(
  "INSERT INTO latest VALUES (?, ?, ?) ON CONFLICT (subject) DO UPDATE SET value = excluded.value, at = excluded.at",
);

function ask(path: string): Promise<readonly PoolRecord[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    client.dispatch(
      { path, method: "GET", headers: { "x-api-key": API_KEY } },
      {
        onRequestStart() {},
        onResponseStart(_, status) {
          if (status !== 200) throw new Error(`status ${status}`);
        },
        onResponseData(_, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          // A copy of every answer would cost more than its bytes: small heaps are then swept all the time.
          const [first] = chunks;
          const body = chunks.length === 1 && first ? first : Buffer.concat(chunks);
          resolve(JSON.parse(body.toString()) as PoolRecord[]);
        },
        onResponseError(_, error) {
          reject(error);
        },
      },
    );
  });
}

async function round(): Promise<void> {
  const date = Date.now();
  let next = 0;
  let rows = 0;
  const worker = async (): Promise<void> => {
    for (let path = paths[next]; path !== undefined; path = paths[next]) {
      const first = next * BATCH;
      next += 1;
      const records = await ask(path);
      for (const [i, record] of records.entries()) upsert.run(first + i, record.tvl_usd, date);
      rows += records.length;
    }
  };
  database.exec("BEGIN");
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  database.exec("COMMIT");
  if (rows !== task.subjects) throw new Error(`${rows} records`);
}

const measurement = await measure(task, round);
await client.close();
database.close();
report(measurement);
