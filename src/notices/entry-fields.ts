import { formatValue } from "../base/format.ts";
import { cleanText } from "../base/text.ts";
import { formatTime } from "../base/times.ts";
import type { AlertEvent } from "../decide/event.ts";
import { writtenAs } from "../rules/describe/metric-words.ts";
import { capital } from "./wording.ts";

/** What is said of an entry beside what its rule looked at, by the words of its kind. */
const TOLD: Readonly<Record<string, readonly string[]>> = {
  v4_swaps: ["amount0", "amount1", "amount_usd", "direction", "sender", "block_number"],
  v3_swaps: ["amount0", "amount1", "amount_usd", "direction", "sender", "block_number"],
  v4_liquidity: [
    "liquidity_delta",
    "removed_share",
    "removed_usd",
    "tick_lower",
    "tick_upper",
    "sender",
    "tx_at_block_number",
  ],
  holders: ["wallet", "balance", "rank"],
};

/** The longest text of an entry: a transaction's hash and more. */
const LONGEST_TEXT = 128;

/** Name and value of an entry's own facts; symbols of units have at most `limit` characters. */
export function entryFields(
  event: AlertEvent,
  limit: number,
): readonly (readonly [name: string, value: string | null])[] {
  const { entry, rule, description, evidence, also } = event;
  if (entry === undefined) return [];
  const known = new Set([evidence, ...also].map((one) => one?.metric.name));
  const fields = (TOLD[rule.kind] ?? []).map((name): [string, string | null] => {
    const value = known.has(name) ? null : entry.value(name);
    const label = capital(entry.metric(name)?.label ?? name.replaceAll("_", " "));
    if (value === null) return [label, null];
    if (typeof value === "string") return [label, cleanText(value, LONGEST_TEXT)];
    const metric = entry.metric(name);
    if (metric === undefined) return [label, null];
    const as = writtenAs(metric, event.decimals(name), description, limit);
    // What a price makes of an amount has more digits than it is exact.
    return [label, formatValue(value, as, metric.quantity === "usd" ? "compact" : "full")];
  });
  return [...fields, ["Happened", entry.at === null ? null : formatTime(entry.at)]];
}
