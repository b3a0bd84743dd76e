import { parentPort, workerData } from "node:worker_threads";
import { isMap } from "../../base/json.ts";
import { openChainDb } from "../db/open.ts";
import { type IndexPlan, indexHere } from "./runner.ts";
import { isWantedKind } from "./sources.ts";

/** The thread that indexes one chain: it is given its plan, told of pools and of its pace, and told to end. */

interface Given {
  readonly plan: IndexPlan;
  readonly path: string;
}

function isGiven(value: unknown): value is Given {
  return isMap(value) && isMap(value.plan) && typeof value.path === "string";
}

const given: unknown = workerData;
if (!isGiven(given)) throw new Error("it was given no plan");
const { plan, path } = given;
const db = await openChainDb(path);
const runner = indexHere(plan, db, (level, text, fields) => {
  parentPort?.postMessage({ level, text, fields }, []);
});

parentPort?.on("message", (message: unknown) => {
  if (message === "close") void end();
  else if (isMap(message)) {
    if (isWantedKind(message.kind)) runner.want(message.kind, String(message.id));
    if (typeof message.requestsPerSecond === "number") runner.pace(message.requestsPerSecond);
  }
});

async function end(): Promise<void> {
  await runner.close();
  db.close();
  parentPort?.close();
}
