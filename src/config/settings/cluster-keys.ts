import { hostname } from "node:os";
import { z } from "zod";
import { oneOf, plainText, wholeNumber } from "../../base/settings.ts";
import type { ClusterConfig, StorePlace } from "../../model/index.ts";
import { errorAt, type Path, type Report } from "../../rules/finding.ts";
import { readKeys, type Words } from "../files/shape.ts";

const PATH: Path = ["cluster"];
const LONGEST_NAME = 100;

/** What stands under each key of `cluster`, by itself. */
export const CLUSTER = z
  .strictObject({
    name: plainText("a name for this daemon"),
    on_outage: oneOf(["continue", "suspend"]),
    weight: wholeNumber(1, 100),
  })
  .partial();

const WORDS: Words = { what: "cluster", keys: Object.keys(CLUSTER.shape) };

/** Reads `cluster`; null where it is left out. Several daemons need a store that all of them reach. */
export function readCluster(raw: unknown, store: StorePlace, report: Report): ClusterConfig | null {
  if (raw === undefined) return null;
  const keys = readKeys(CLUSTER, raw, PATH, WORDS, report);
  if (keys === null) return null;
  if (typeof store === "string") {
    report(
      errorAt("bad-setting", PATH, "several daemons cannot share a SQLite file", {
        expected: `a PostgreSQL URL as \`store\`, such as "\${env:DATABASE_URL}"`,
      }),
    );
    return null;
  }
  const name = (keys.name ?? hostname()).slice(0, LONGEST_NAME);
  return { name, onOutage: keys.on_outage ?? "continue", weight: keys.weight ?? 1 };
}
