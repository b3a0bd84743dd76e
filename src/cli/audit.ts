import { formatMoment } from "../base/clock.ts";
import { cleanText } from "../base/text.ts";
import type { StoredDeed } from "../store/operator-db/audit.ts";
import { EXIT, type Io } from "./io.ts";
import { iso, print, table } from "./report.ts";
import { withOperatorDb } from "./with-operator-db.ts";

export interface AuditOptions {
  readonly config: string;
  readonly rule?: string;
  readonly limit?: number;
  readonly json?: boolean;
}

const USUAL_LIMIT = 50;
const WIDEST = 80;

/** `tickwatch audit`: the exit code. Throws ConfigError and StoreError. */
export async function audit(options: AuditOptions, io: Io): Promise<number> {
  return await withOperatorDb(options.config, io, "read", async (db) => {
    const { rule, limit = USUAL_LIMIT } = options;
    const found = await db.audit.find({ rule, most: limit });
    print(options, io, {
      value: () => ({ actions: found.map(deedJson) }),
      page: () => auditPage(found, rule),
    });
    return EXIT.fine;
  });
}

function auditPage(found: readonly StoredDeed[], rule: string | undefined): string {
  if (found.length === 0) {
    return rule === undefined
      ? "nobody has acknowledged, silenced or retried anything yet"
      : `nobody has acknowledged or silenced anything of ${cleanText(rule, WIDEST)} yet`;
  }
  const rows = found.map(({ at, author, via, action, about, comment }) => [
    formatMoment(at),
    cleanText(author),
    via,
    action,
    cleanText(about, WIDEST),
    comment === null ? "" : cleanText(comment, WIDEST),
  ]);
  return table(["when", "by", "through", "did", "what", "comment"], rows);
}

function deedJson({ at, author, ...deed }: StoredDeed): Readonly<Record<string, unknown>> {
  return { ...deed, at: iso(at), by: author };
}
