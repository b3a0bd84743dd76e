import { createHash } from "node:crypto";
import type { Setup } from "../model/index.ts";

/** Daemons that divide the work in another way than this one must not share it. */
const DIVISION = 2;

type Deciding = Pick<Setup, "service" | "rules" | "channels" | "reports" | "selfNotify">;

/** It is asked for every second, and rules may be long. */
const known = new WeakMap<Deciding, string>();

/**
 * A short text that two daemons share as long as they would watch the same and tell the same people. It goes by the
 * rules, by where they are asked, and by what channels are called, and holds nothing of a secret.
 */
export function configurationText(setup: Deciding): string {
  const text = known.get(setup) ?? textOf(setup);
  known.set(setup, text);
  return text;
}

function textOf({ service, rules, channels, reports, selfNotify }: Deciding): string {
  const isOwn = service.rpc !== null && service.rpc !== undefined;
  const parts = [
    DIVISION,
    // Where the daemon answers itself its address is another one at each start.
    isOwn ? "nodes" : [service.baseUrl, service.legacyBaseUrl ?? null],
    rules.map(({ source, flapping, notify, mutes }) => [source, flapping, notify, [...mutes]]),
    channels.map(({ name, kind }) => [name, kind]),
    reports.map(({ name, schedule, rules: its, channels: to }) => [name, schedule.key, its, to]),
    selfNotify,
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12);
}
