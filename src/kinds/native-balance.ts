import { ADDRESS } from "../api/endpoints.ts";
import { chainById } from "../base/chains.ts";
import { shortId } from "../base/text.ts";
import type { Answer, Ask, RawRecord, Subject } from "../model/index.ts";
import { BaseReading, fieldsOf, fieldTroubles, metricsOf, valueIn } from "./fields.ts";
import type { Row, WatchKind } from "./kind.ts";
import { NATIVE_DECIMALS } from "./tokens.ts";

const FIELDS = fieldsOf("native_balance");

/** What an account holds of its chain's own currency, such as the ether that pays a keeper's gas. */
export const nativeBalance: WatchKind = {
  kind: "native_balance",
  aliases: ["eth_balance", "ether_balance", "gas_balance", "native"],
  words: { subjects: "accounts", metricFirst: true },
  targets: {
    key: "wallet",
    id: { pattern: ADDRESS, expected: "an address, 0x and 40 hex digits" },
    protocols: null,
  },
  bucketMs: null,
  records: ["native_balance"],
  knowsDecimals: true,
  metrics: metricsOf("native_balance", { balance: ["balance", "value", "amount", "eth"] }),

  subject: ({ chainId, id, name }) => {
    const wallet = (id ?? "").toLowerCase();
    const key = `native_balance:${chainId}:${wallet}`;
    return { key, kind: "native_balance", chainId, ids: { wallet }, name };
  },

  asks: (subject) => [askOf(subject)],

  follow: () => [],

  read: (subject, answers) => new NativeReading(subject, answers(askOf(subject))),
};

function askOf({ key, chainId, ids }: Subject): Ask {
  return { key, record: "native_balance", chainId, id: "", wallet: ids.wallet ?? "" };
}

class NativeReading extends BaseReading {
  readonly rows: readonly Row[];

  constructor(subject: Subject, answer: Answer | undefined) {
    super(subject, "native_balance", answer);
    const { record } = this;
    this.rows =
      record === null ? [] : [{ date: null, value: (name) => valueIn(FIELDS, record, name) }];
  }

  protected troublesOf(record: RawRecord): readonly string[] {
    return fieldTroubles(record, FIELDS);
  }

  override decimals(name: string): number | null {
    return name === "balance" ? NATIVE_DECIMALS : null;
  }

  protected label(): string {
    return shortId(this.subject.ids.wallet ?? "");
  }

  protected override page(): string {
    return `/address/${this.subject.ids.wallet ?? ""}`;
  }

  protected override unit(name: string): string {
    return name === "balance" ? (chainById(this.subject.chainId)?.nativeSymbol ?? "native") : "";
  }
}
