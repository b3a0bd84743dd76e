import { formatDuration } from "../../base/duration.ts";
import { formatValue } from "../../base/format.ts";
import type { AlertEvent } from "../../decide/event.ts";
import type { AlertState } from "../../model/index.ts";
import { booleanText, headlineAs, headlineLabel } from "../../rules/describe/metric-words.ts";
import { BLIND_ICON, chainApart } from "../wording.ts";
import type { Line } from "./fit.ts";

/** `⚪ No data 15 min: Avalanche. Still firing, its state is kept` */
export function noDataLine({ at, before, after }: AlertEvent, name: string, tail: string): Line {
  const since = after.missing?.since ?? before.missing?.since ?? null;
  const length = since === null ? "" : ` ${formatDuration(at - since)}`;
  const state = isFiring(after.state) ? "Still firing" : "Was quiet";
  const tails = [`. ${state}, its state is kept`, tail];
  return { before: `${BLIND_ICON} No data${length}: `, name, after: "", tails };
}

/** `⚪ Data back after 15 min: ETH/USDC 0.05%. Quiet: TVL $4M` */
export function dataBackLine(
  event: AlertEvent,
  name: string,
  tail: string,
  icon = BLIND_ICON,
): Line {
  const { evidence, before, after, description, at } = event;
  const blind = before.missing === null ? null : formatDuration(at - before.missing.since);
  const length = blind === null ? "" : ` after ${blind}`;
  const tails = [...chainApart(event, tail), isFiring(after.state) ? ". Firing" : ". Quiet"];
  if (evidence !== null) {
    const { metric, value } = evidence;
    const as = headlineAs(metric, event.decimals(metric.name), description);
    const { what } = headlineLabel(metric, as, event.rule.across);
    tails.push(
      typeof value === "boolean"
        ? `: ${booleanText(metric.label, value)}`
        : `: ${what} ${formatValue(value, as)}`,
    );
  }
  return { before: `${icon} Data back${length}: `, name, after: "", tails };
}

function isFiring(state: AlertState): boolean {
  return state === "firing" || state === "recovering";
}
