import { formatDuration } from "../../base/duration.ts";
import { formatTime } from "../../base/times.ts";
import type { Ask, Notice } from "../../model.ts";
import { fitLine } from "./fit.ts";
import { noticeId } from "./notice.ts";
import { fieldsOf } from "./notice-fields.ts";
import { BLIND_ICON, GOOD_ICON } from "./wording.ts";

/** What people call the records that an endpoint answers. */
const RECORD_NAMES: Readonly<Record<Ask["record"], string>> = {
  v4_pool: "V4 pools",
  v4_position: "V4 positions",
  gas_hour: "gas hours",
  supply: "token supplies",
  supply_point: "supply histories",
  balance: "token balances",
  balance_point: "balance histories",
  holder_count: "holder counts",
  holder: "token holders",
  token_info: "token infos",
  token_price: "token prices",
  price_point: "price histories",
  v4_pool_24h: "V4 pools by day",
  v3_pool: "V3 pools",
  v4_swap: "V4 swaps",
  v3_swap: "V3 swaps",
  v4_liquidity: "V4 liquidity changes",
  v4_pool_point: "V4 pool histories",
  v3_pool_point: "V3 pool histories",
  endpoint: "endpoints",
};

/** An endpoint that answers nothing any more, or answers again. */
export interface SourceEvent {
  readonly kind: "source_down" | "source_up";
  readonly record: Ask["record"];
  /** The service refuses the key, for this record as for all others. */
  readonly keyRefused: boolean;
  readonly at: number;
  /** The last round in which it answered. */
  readonly since: number;
  /** How many rules and alerts know nothing because of it. */
  readonly rules: number;
  readonly alerts: number;
  /** Why, in clean words. */
  readonly detail: string | null;
}

/** One notice for the source, in place of one for each alert that it blinds. */
export function composeSource(event: SourceEvent): Notice {
  const { kind, record, keyRefused, at, since, rules, alerts, detail } = event;
  const down = kind === "source_down";
  const name = keyRefused ? "the API key is refused" : RECORD_NAMES[record];
  const length = formatDuration(at - since);
  const blinded = `${count(rules, "rule")}, ${count(alerts, "alert")}`;
  return {
    id: noticeId(kind, null, record, at),
    kind,
    severity: down ? "warning" : "info",
    rule: null,
    subject: record,
    at,
    headline: fitLine([
      down
        ? {
            before: `${BLIND_ICON} Source down ${length}: `,
            name,
            after: `. ${blinded} blind`,
            tails: [", their state is kept"],
          }
        : {
            before: `${GOOD_ICON} Source back after ${length}: `,
            name: keyRefused ? "the API key is taken again" : name,
            after: keyRefused ? "" : " answer again",
            tails: [],
          },
    ]),
    title: null,
    note: null,
    fields: fieldsOf([
      ["Source", keyRefused ? "the data service" : `${name} of the data service`],
      ["Since", formatTime(since)],
      ["Why", down ? (detail ?? "not known") : ""],
      ["Blind", down ? blinded : ""],
    ]),
    link: null,
    range: null,
    recent: [],
    values: [],
    labels: {},
  };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
