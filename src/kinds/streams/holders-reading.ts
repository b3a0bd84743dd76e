import { compare, Decimal, decimalFromInteger, divide, isZero } from "../../base/decimal.ts";
import type { Answer, RawRecord, Subject, Value } from "../../model/index.ts";
import { answerTrouble, BaseReading, fieldsOf, numberIn, recordOf, valueIn } from "../fields.ts";
import type { Row, StreamReading } from "../kind.ts";
import { tokenName } from "../token-record.ts";
import { tokenFacts } from "../tokens.ts";
import {
  changesOf,
  distinctOf,
  type Holder,
  isWhole,
  readList,
  type Shown,
  showsLargest,
  sumOf,
  topOf,
  writeList,
} from "./top-list.ts";

/** Digits of a share after the point. */
const SHARE_SCALE = 18;
const FIELDS = fieldsOf("holder");

export interface HoldersParts {
  readonly subject: Subject;
  /** How long the list is. */
  readonly top: number;
  /** For how many was asked. */
  readonly asked: number;
  readonly list: Answer | undefined;
  readonly supply: Answer | undefined;
  readonly info: Answer | undefined;
  readonly date: number;
  readonly cursor: string | null;
}

/** The list of the largest holders now, and who has come and gone since the last one. */
export class HoldersReading extends BaseReading {
  readonly rows: readonly Row[];
  readonly #trouble: string | null;
  readonly stream: StreamReading | null;

  constructor(private readonly parts: HoldersParts) {
    super(parts.subject, "holder", parts.list);
    const { list, top, asked, cursor, supply } = parts;
    const before = readList(cursor);
    const page = list?.status === "ok" ? readPage(list.records, before) : null;
    const total = supplyOf(supply);
    const nobody = page?.holders.every(({ balance }) => isZero(balance)) === true;
    // An indexer that starts anew knows no holders at first.
    const doubted = nobody && !(total !== null && isZero(total)) && (total ?? before) !== null;
    if (page === null || page.unknown || doubted) {
      this.#trouble =
        page === null
          ? answerTrouble(list)
          : doubted
            ? "nobody holds it, and there is a supply"
            : "a holder's wallet could not be read";
      this.rows = [];
      this.stream = null;
      return;
    }
    const holders = distinctOf(page.holders);
    const count = list?.status === "ok" ? (list.total ?? null) : null;
    const shown = { holders, top, asked, supply: total, before, total: count };
    const isBegun = before !== null || holders.length >= top;
    if (!isWhole(shown) || (!isBegun && isOpen(supply))) {
      // The largest balance is the only thing that is not of the whole list.
      this.#trouble = troubleOf(shown, supply);
      this.rows = [largestRow(page.guessed || !showsLargest(shown) ? [] : holders)];
      this.stream = null;
      return;
    }
    const now = topOf(holders, before, top, page.holders.length >= asked);
    this.#trouble = total === null ? `the supply: ${supplyTrouble(supply)}` : null;
    this.rows = [rowOf(now, total, page.guessed)];
    this.stream = {
      entries: before === null ? [] : changesOf(before, now, parts),
      cursor: writeList(now),
      from: cursor,
      gap: null,
    };
  }

  override get trouble(): string | null {
    return this.#trouble;
  }

  protected troublesOf(): [] {
    return [];
  }

  override decimals(name: string): number | null {
    return name.endsWith("balance") ? tokenFacts(this.parts.info).decimals : null;
  }

  protected label(): string {
    return tokenName(this.#token, tokenFacts(this.parts.info));
  }

  protected override page(): string {
    return `/token/${this.#token}`;
  }

  protected override unit(metric: string): string {
    return metric.endsWith("balance") ? (tokenFacts(this.parts.info).symbol ?? "") : "";
  }

  get #token(): string {
    return this.subject.ids.token ?? "";
  }
}

interface Page {
  readonly holders: readonly Holder[];
  /** A wallet is missing and unknown, so no wallet can be said to have left. */
  readonly unknown: boolean;
  /** A balance was not to be read, and the one before stands in. */
  readonly guessed: boolean;
}

function readPage(records: readonly RawRecord[], before: readonly Holder[] | null): Page {
  const holders: Holder[] = [];
  let unknown = false;
  let guessed = false;
  for (const record of records) {
    const wallet = field(record, "wallet_address");
    if (typeof wallet !== "string") {
      unknown = true;
      continue;
    }
    const balance = field(record, "balance");
    if (balance instanceof Decimal) {
      holders.push({ wallet, balance });
      continue;
    }
    guessed = true;
    const known = before?.find((one) => one.wallet === wallet);
    if (known !== undefined) holders.push(known);
  }
  return { holders, unknown, guessed };
}

function field(record: RawRecord, name: string): Value | null {
  return valueIn(FIELDS, record, name);
}

function supplyOf(answer: Answer | undefined): Decimal | null {
  return numberIn(fieldsOf("supply"), recordOf(answer), "total_supply");
}

function rowOf(list: readonly Holder[], supply: Decimal | null, guessed: boolean): Row {
  return {
    date: null,
    value: (name) => {
      if (guessed) return null;
      switch (name) {
        case "top_share":
          return shareOf(list, supply);
        case "largest_balance":
          return list[0]?.balance ?? null;
        case "smallest_balance":
          return list.at(-1)?.balance ?? null;
        default:
          return null;
      }
    },
  };
}

function largestRow(list: readonly Holder[]): Row {
  const largest = list[0]?.balance ?? null;
  return { date: null, value: (name) => (name === "largest_balance" ? largest : null) };
}

/** Whether the supply may be answered in the next round: the first list is not judged without it. */
function isOpen(supply: Answer | undefined): boolean {
  return supply?.status === "failed" && supply.failure.reason !== "refused";
}

function supplyTrouble(supply: Answer | undefined): string {
  return supply?.status === "ok" ? "it has no value" : answerTrouble(supply);
}

function troubleOf({ holders, supply: total }: Shown, supply: Answer | undefined): string {
  if (total === null) return `the list may not be whole, and the supply: ${supplyTrouble(supply)}`;
  const many = holders.length === 1 ? "1 holder has" : `${holders.length} holders have`;
  return `the list is not whole: ${many} ${sumOf(holders).toString()} of a supply of ${total.toString()}, in raw units`;
}

/** Nobody holds more than there is: then one of the two answers is older than the other. */
function shareOf(list: readonly Holder[], supply: Decimal | null): Decimal | null {
  if (supply === null || isZero(supply)) return null;
  const share = divide(sumOf(list), supply, SHARE_SCALE);
  return compare(share, decimalFromInteger(1)) > 0 ? null : share;
}
