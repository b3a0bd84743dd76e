import { resolve } from "node:path";
import { isPostgresUrl, readPostgresUrl, targetOf } from "../../base/postgres-url.ts";
import type { Secret } from "../../base/text.ts";
import type { StorePlace } from "../../model/index.ts";
import { errorAt, type Report, warningAt } from "../../rules/finding.ts";

/**
 * What `store` says, if anything: the path of a file, which starts at `folder`, or a PostgreSQL URL, which is secret
 * as a whole. What is wrong with it is reported.
 */
export function readStore(store: Secret | undefined, folder: string, report: Report): StorePlace {
  const text = store?.reveal() ?? "tickwatch.db";
  if (!/^\s*[a-z][a-z0-9+.-]*:\/\//i.test(text) && !isPostgresUrl(text))
    return resolve(folder, text);
  const place = readPostgresUrl(text, folder);
  if (!("trouble" in place)) return place;
  report(errorAt("bad-url", ["store"], place.trouble, place.expected));
  return resolve(folder, "tickwatch.db");
}

/** The path of the database of what is read from nodes: `data` as the configuration in `folder` has it, if it does. */
export function chainDataPath(folder: string, data: string | undefined): string {
  return resolve(folder, data ?? "chain.db");
}

/** Warns of a password in the file itself, and of one that goes over a network in the clear. */
export function lintStore(place: StorePlace, literal: unknown, report: Report): void {
  if (typeof place === "string") return;
  const { password, isOpen } = targetOf(place);
  if (typeof literal === "string" && !literal.includes("${") && password !== null) {
    report(
      warningAt(
        "secret-in-file",
        ["store"],
        "the file itself holds the database's password",
        `"\${env:DATABASE_URL}" or "\${file:PATH}"`,
      ),
    );
  }
  if (isOpen) {
    report(
      warningAt(
        "no-encryption",
        ["store"],
        "sslmode=disable sends everything in the clear",
        "no sslmode, with sslrootcert= where the authority is your own",
      ),
    );
  }
}
