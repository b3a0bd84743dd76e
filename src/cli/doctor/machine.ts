import { accessSync, constants, existsSync, statSync } from "node:fs";
import { arch, cpus, platform, release, totalmem } from "node:os";
import { dirname } from "node:path";
import { type PostgresPlace, storeName } from "../../base/postgres-url.ts";
import { countOf, sizeText } from "../../base/text.ts";
import { leastFree, spaceOf } from "../../ops/self-checks.ts";
import { readSoundness, sqliteVersion } from "../../store/operator-db/soundness.ts";
import { EXIT } from "../io.ts";
import { type Finding, failed, fine, reasonOf, warning } from "./finding.ts";

const OLDEST_NODE = [20, 19] as const;

/** Node, the machine, and the SQLite driver. */
export async function lookAtProgram(version: string): Promise<readonly Finding[]> {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  const node = `Node ${process.versions.node} on ${platform()} ${release()} ${arch()}, ${countOf(cpus().length, "CPU")}, ${sizeText(totalmem())} memory`;
  return [
    fine("tickwatch", version),
    isOld
      ? failed("node", `${node}: install Node ${OLDEST_NODE.join(".")} or later`)
      : fine("node", node),
    await sqliteVersion().then(
      (sqlite) => fine("sqlite", `the driver loads; SQLite ${sqlite}`),
      (error: unknown) => failed("sqlite", reasonOf(error), EXIT.database),
    ),
  ];
}

/** The database, its disk, and who may do what with both. */
export async function lookAtDatabase(store: string): Promise<readonly Finding[]> {
  const folder = dirname(store);
  if (!existsSync(folder)) {
    return [failed("database", `the folder ${folder} does not exist: create it`, EXIT.database)];
  }
  return [
    rightsOf(store, folder),
    await roomOf(existsSync(store) ? store : folder),
    ...(await soundnessOf(store)),
  ];
}

/** A PostgreSQL store: whether it can be reached, and in what state it is. */
export async function lookAtServer(place: PostgresPlace): Promise<readonly Finding[]> {
  const name = storeName(place);
  try {
    const { readServer } = await import("../../store/postgres/server-view.ts");
    const { version, encrypted, number, inUse, bytes, mayMake } = await readServer(place);
    const holds =
      number === null
        ? `${name} has no tables yet: the daemon will create them`
        : `${name}: ${sizeText(bytes)}, number ${number}`;
    const cannotMake = `${name} has no tables yet, and this role may not create them: start the daemon once with the owner's URL`;
    return [
      fine("server", `PostgreSQL ${version}`),
      encrypted
        ? fine("privacy", "nobody on the network can read the connection")
        : warning("privacy", "the connection is not encrypted"),
      mayMake ? fine("database", holds) : failed("database", cannotMake, EXIT.database),
      fine("daemon", usedBy(inUse)),
    ];
  } catch (error) {
    return [failed("database", reasonOf(error), EXIT.database)];
  }
}

function usedBy(isHeld: boolean): string {
  return isHeld ? "a daemon uses the database" : "no daemon uses the database";
}

function rightsOf(store: string, folder: string): Finding {
  const who = process.getuid === undefined ? "this user" : `user ${process.getuid()}`;
  for (const path of [folder, ...(existsSync(store) ? [store] : [])]) {
    try {
      accessSync(path, constants.R_OK | constants.W_OK);
    } catch {
      const owner = statSync(path).uid;
      return failed(
        "rights",
        `${who} cannot write ${path}, which belongs to user ${owner}: run this as the daemon's user`,
        EXIT.database,
      );
    }
  }
  return fine("rights", `${who} can write ${folder}`);
}

/** With less than these bytes no round is written any more. */
const FULL = 1_000_000;

async function roomOf(path: string): Promise<Finding> {
  try {
    const { free, total } = await spaceOf(path);
    const says = `${sizeText(free)} of ${sizeText(total)} free`;
    if (free < FULL) {
      const problem = `${says}: the daemon cannot write its database; free some space`;
      return failed("disk", problem, EXIT.database);
    }
    return free < leastFree(total)
      ? warning("disk", `${says}: free some space`)
      : fine("disk", says);
  } catch (error) {
    return warning("disk", `the free space is unknown: ${reasonOf(error)}`);
  }
}

async function soundnessOf(store: string): Promise<readonly Finding[]> {
  try {
    const seen = await readSoundness(store);
    if (seen === null)
      return [fine("database", `there is none at ${store} yet: the daemon will create it`)];
    const size = `${store}: ${sizeText(seen.bytes)}, format ${seen.format ?? "unknown"}`;
    const [open] = seen.openToOthers;
    return [
      seen.fault === null
        ? fine("database", `${size}, no fault found`)
        : failed("database", `${size}, damaged (${seen.fault}): restore a backup`, EXIT.database),
      open === undefined
        ? fine("privacy", "only its owner can read it")
        : warning("privacy", `other users can read ${open}: chmod 600`),
      fine("daemon", usedBy(seen.inUse)),
    ];
  } catch (error) {
    return [failed("database", reasonOf(error), EXIT.database)];
  }
}
