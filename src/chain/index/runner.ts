import { Worker } from "node:worker_threads";
import { systemClock } from "../../base/clock.ts";
import { isMap } from "../../base/json.ts";
import { Secret } from "../../base/text.ts";
import type { Database } from "../../store/sqlite/driver.ts";
import { RpcNode } from "../rpc/node.ts";
import { type ChainReporter, Nodes } from "../rpc/nodes.ts";
import { ChainTables } from "./chain-tables.ts";
import { Indexer, type IndexerOptions } from "./indexer.ts";
import type { WantedKind } from "./sources.ts";

/** What is indexed of one chain, in plain values, which another thread can be given. */
export interface IndexPlan
  extends Pick<
    IndexerOptions,
    "contracts" | "ownersSince" | "exactGas" | "days" | "holders" | "mostTransfers"
  > {
  readonly chainId: number;
  /** URLs of nodes: secrets as a whole, for no other eyes than this process's. */
  readonly urls: readonly string[];
  readonly requestsPerSecond: number;
  readonly timeoutMs: number;
}

/** Something that indexes a chain until it is closed. */
export interface IndexRunner {
  /** Follows a source from now on. */
  want(kind: WantedKind, id: string): void;
  /** So many requests go to each node in any second from now on. */
  pace(requestsPerSecond: number): void;
  close(): Promise<void>;
}

/** Indexes a chain in this thread. */
export function indexHere(plan: IndexPlan, db: Database, told: ChainReporter): IndexRunner {
  const clock = systemClock();
  const stop = new AbortController();
  // What ends because it is closed is no trouble.
  const report: ChainReporter = (...what) => {
    if (!stop.signal.aborted) told(...what);
  };
  const { chainId, urls, timeoutMs } = plan;
  let { requestsPerSecond } = plan;
  const nodes = new Nodes({
    chainId,
    nodes: urls.map(
      (url, i) =>
        new RpcNode({ url: new Secret(url), name: `node ${i + 1}`, requestsPerSecond, timeoutMs }),
    ),
    report,
    now: () => clock.elapsed(),
  });
  const tables = new ChainTables(db, chainId);
  const indexer = new Indexer({
    ...plan,
    nodes,
    tables,
    clock,
    report: (level, message, fields) => report(level, message, { chain: chainId, ...fields }),
    backgroundRate: () => requestsPerSecond,
  });
  const running = indexer.run(stop.signal);
  return {
    want: (kind, id) => indexer.want(kind, id),
    pace(next) {
      requestsPerSecond = next;
      for (const node of nodes.all) node.pace(next);
    },
    async close() {
      stop.abort();
      await nodes.close();
      await running;
    },
  };
}

/** Whether this file was compiled: only then there is one that another thread can run. */
const IS_COMPILED = import.meta.url.endsWith(".js");

/**
 * Indexes a chain in a thread of its own, so that reading millions of logs holds nothing else up. `path`: of the
 * database, which the thread opens for itself.
 */
function indexInThread(plan: IndexPlan, path: string, report: ChainReporter): IndexRunner {
  const worker = new Worker(new URL("./thread.js", import.meta.url), {
    workerData: { plan, path },
    // Whatever is wanted of the process is not wanted of the thread.
    argv: [],
    execArgv: [],
  });
  let isClosing = false;
  const ended = new Promise<void>((resolve) => {
    worker.once("exit", () => resolve());
  });
  const died = (why: string): void => {
    if (!isClosing) report("warn", "indexing ended", { chain: plan.chainId, why });
  };
  worker.on("message", (message: unknown) => {
    if (!isMap(message) || !isMap(message.fields)) return;
    const { level, text } = message;
    if (level !== "debug" && level !== "info" && level !== "warn") return;
    report(level, String(text), fieldsIn(message.fields));
  });
  worker.on("error", (error: unknown) => {
    died(error instanceof Error ? error.message : String(error));
  });
  return {
    want: (kind, id) => worker.postMessage({ kind, id }, []),
    pace: (requestsPerSecond) => worker.postMessage({ requestsPerSecond }, []),
    async close() {
      isClosing = true;
      worker.postMessage("close", []);
      await ended;
    },
  };
}

function fieldsIn(fields: Readonly<Record<string, unknown>>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "number" ? value : String(value),
    ]),
  );
}

/** In a thread of its own where that can be: a database in memory is one thread's. */
export function runIndex(
  plan: IndexPlan,
  { db, path }: { readonly db: Database; readonly path: string | null },
  report: ChainReporter,
): IndexRunner {
  return IS_COMPILED && path !== null
    ? indexInThread(plan, path, report)
    : indexHere(plan, db, report);
}
