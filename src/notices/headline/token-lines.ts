import type { AlertEvent } from "../../decide/event.ts";
import type { Metric } from "../../kinds/kind.ts";
import { unitNames } from "../../rules/describe/metric-words.ts";
import { capital, chainOf, chainTail } from "../wording.ts";
import type { Line } from "./fit.ts";

/** The kinds that count something of a token or of a wallet. */
const TOKEN_KINDS: ReadonlySet<string> = new Set(["token_supply", "token_balance", "holder_count"]);

export interface LevelWords {
  /** `🟠 ` */
  readonly before: string;
  readonly name: string;
  readonly what: string;
  /** ` 306M AUSD`, ` back to 290M AUSD` */
  readonly number: string;
  /** `, limit 300M` */
  readonly limit: string;
  readonly tails: readonly string[];
}

/**
 * `Balance of Treasury 1.2M AUSD, below 2.5M` for tokens and for several subjects together, and
 * `Supply 306M AUSD, six chains, limit 300M` where the unit says whose it is. None for others,
 * whose name stands first.
 */
export function tokenLines(event: AlertEvent, metric: Metric, words: LevelWords): readonly Line[] {
  const { before, name, what, number, limit, tails } = words;
  const start = `${before}${capital(what)}`;
  const place = placeInstead(event, metric, name);
  if (place !== null) {
    const others = tails.filter((text) => text !== chainTail(event, name));
    return [{ before: `${start}${number}, `, name: place, after: limit, tails: others }];
  }
  const { rule } = event;
  if (rule.across === null && !TOKEN_KINDS.has(rule.kind)) return [];
  return [{ before: `${start} of `, name, after: `${number}${limit}`, tails }];
}

/** Where the unit names the subject already, the line says where; null: it must say whose. */
export function placeInstead(event: AlertEvent, metric: Metric, name: string): string | null {
  const { description, subject } = event;
  const named = unitNames(name, metric, event.decimals(metric.name), description);
  return named ? chainOf(subject, description) : null;
}
