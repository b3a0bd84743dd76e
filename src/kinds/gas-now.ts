import { MOST_GAS_BLOCKS } from "../api/endpoints.ts";
import { chainName } from "../base/chains.ts";
import { add, Decimal } from "../base/decimal.ts";
import type { Answer, Ask, RawRecord, Subject, Value } from "../model/index.ts";
import {
  BaseReading,
  fieldsOf,
  fieldTroubles,
  markOf,
  metric,
  metricsOf,
  valueIn,
} from "./fields.ts";
import type { Mark, Row, WatchKind } from "./kind.ts";

const FIELDS = fieldsOf("gas_now");
const TIPS = ["tip_top5", "tip_top10"] as const;

/** What gas costs in a chain's last blocks, exact, new with each block. */
export const gasNow: WatchKind = {
  kind: "gas_now",
  aliases: ["gas_live", "gas_block", "current_gas", "gas_price_now"],
  words: { subjects: "chains" },
  targets: {
    key: null,
    id: null,
    protocols: null,
    options: { blocks: { kind: "whole", min: 1, max: MOST_GAS_BLOCKS, default: 5 } },
  },
  bucketMs: null,
  records: ["gas_now"],
  ownTime: "timestamp",
  metrics: metricsOf(
    "gas_now",
    {
      base_fee: ["base fee", "basefee", "avg_base_fee"],
      tip_top5: "tip (top 5%)",
      tip_top10: ["tip (top 10%)", "tip", "priority_fee"],
      block_number: ["block", "block"],
      timestamp: "time of the block",
    },
    [metric("price_top10", "wei", "gas price (top 10%)", "gas", "gas_price", "gwei")],
  ),

  subject: ({ chainId, options, name }) => {
    const blocks = options?.blocks ?? "5";
    return { key: `gas_now:${chainId}:${blocks}`, kind: "gas_now", chainId, ids: { blocks }, name };
  },

  asks: (subject) => [askOf(subject)],

  follow: () => [],

  read: (subject, answers) => new GasNowReading(subject, answers(askOf(subject))),
};

function askOf({ key, chainId, ids }: Subject): Ask {
  return { key, record: "gas_now", chainId, id: "", limit: Number(ids.blocks) };
}

class GasNowReading extends BaseReading {
  readonly rows: readonly Row[];

  constructor(subject: Subject, answer: Answer | undefined) {
    super(subject, "gas_now", answer);
    const { record } = this;
    this.rows = record === null ? [] : [new GasNowRow(record)];
  }

  protected troublesOf(record: RawRecord): readonly string[] {
    if (TIPS.some((name) => record[name] !== null)) return fieldTroubles(record, FIELDS);
    const others = Object.entries(FIELDS).filter(([name]) => !TIPS.some((tip) => tip === name));
    const troubles = fieldTroubles(record, Object.fromEntries(others));
    return [...troubles, "no transaction with a tip in these blocks"];
  }

  override marks(): readonly Mark[] {
    return this.record === null ? [] : [markOf(askOf(this.subject).key, this.record)];
  }

  protected label(): string {
    return chainName(this.subject.chainId);
  }

  protected override page(): string {
    return "";
  }
}

class GasNowRow implements Row {
  readonly date = null;

  constructor(private readonly record: RawRecord) {}

  value(name: string): Value | null {
    if (name !== "price_top10") return valueIn(FIELDS, this.record, name);
    const [base, tip] = [this.value("base_fee"), this.value("tip_top10")];
    return base instanceof Decimal && tip instanceof Decimal ? add(base, tip) : null;
  }
}
