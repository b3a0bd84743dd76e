import { createHash } from "node:crypto";
import type { RoundRecord } from "../model/index.ts";

/** What stores keep of rounds as text. */

/** The name of a text that is kept once. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** What a round read beside the samples, as JSON. */
export function readsText({ unread, reads }: Pick<RoundRecord, "unread" | "reads">): string {
  return JSON.stringify({ ...reads, unread });
}
