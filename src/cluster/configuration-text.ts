import { createHash } from "node:crypto";
import type { Setup } from "../model/index.ts";

/**
 * A short text that two daemons share as long as they would watch the same and tell the same people. It goes by the
 * rules and by what channels are called, and holds nothing of a secret.
 */
export function configurationText({ rules, channels, reports, selfNotify }: Setup): string {
  const parts = [
    rules.map(({ source, notify, mutes }) => [source, notify, [...mutes]]),
    channels.map(({ name, kind }) => [name, kind]),
    reports.map(({ name, schedule, rules: its, channels: to }) => [name, schedule.key, its, to]),
    selfNotify,
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12);
}
