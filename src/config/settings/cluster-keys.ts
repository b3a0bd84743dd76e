import { hostname } from "node:os";
import { z } from "zod";
import { oneOf, plainText, wholeNumber } from "../../base/settings.ts";
import type { ClusterConfig, ServiceConfig, StorePlace } from "../../model/index.ts";
import { errorAt, type Path, type Report, warningAt } from "../../rules/finding.ts";
import { readKeys } from "../files/shape.ts";

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

/** Reads `cluster`; null where it is left out. Several daemons need a store that all of them reach. */
export function readCluster(raw: unknown, store: StorePlace, report: Report): ClusterConfig | null {
  if (raw === undefined) return null;
  const keys = readKeys(CLUSTER, raw, PATH, "cluster", report);
  if (keys === null) return null;
  if (typeof store === "string") {
    report(
      errorAt(
        "bad-setting",
        PATH,
        "several daemons cannot share a SQLite file",
        `a PostgreSQL URL as \`store\`, such as "\${env:DATABASE_URL}"`,
      ),
    );
    return null;
  }
  const name = (keys.name ?? hostname()).slice(0, LONGEST_NAME);
  return { name, onOutage: keys.on_outage ?? "continue", weight: keys.weight ?? 1 };
}

/**
 * Warns of limits of which no two daemons can each have a part: each sends one request at a time at least, and what one
 * sends in a second is a whole number. What more daemons exceed is known where they are counted.
 */
export function lintShared(
  cluster: ClusterConfig | null,
  service: ServiceConfig | null,
  report: Report,
): void {
  // Of nodes each has its own pace.
  if (cluster === null || service === null || (service.rpc ?? null) !== null) return;
  const expected = "as many as there are daemons, or one daemon without `cluster`";
  const warn = (key: string, message: string): void =>
    report(warningAt("cannot-share", ["service", key], message, expected));
  if (service.concurrency === 1) {
    warn("concurrency", "each daemon sends one request at a time: two daemons send two");
  }
  if (service.requestsPerSecond === 1) {
    const message =
      "two daemons may each send a request in the same second, and keep to one a second on average";
    warn("requests_per_second", message);
  }
}
