import { ADDRESS } from "../api/endpoints.ts";
import { readField } from "../api/fields.ts";
import { chainById, chainName } from "../base/chains.ts";
import { shortId } from "../base/text.ts";
import type { Answer, Ask, KindWords, RawRecord, Subject, Value } from "../model/index.ts";
import {
  answerTrouble,
  type Fields,
  failedOf,
  fieldsOf,
  fieldTroubles,
  joinTroubles,
  recordOf,
} from "./fields.ts";
import type { Description, Mark, Reading, Row, TargetSpec } from "./kind.ts";
import type { TokenFacts } from "./tokens.ts";

/** What the kinds that watch ERC-20 tokens have in common: targets, one record, one row. */

export const TOKEN_TARGETS: TargetSpec = {
  key: "token",
  id: { pattern: ADDRESS, expected: "an address, 0x and 40 hex digits" },
  protocols: null,
};

export const TOKEN_WORDS: KindWords = { subjects: "tokens" };

/** Of the kinds that count something of a token, whose unit says of which. */
export const TOKEN_COUNT_WORDS: KindWords = { ...TOKEN_WORDS, metricFirst: true };

/** A field of a good record that cannot be true, and why, in clean words. */
export interface Doubt {
  readonly field: string;
  readonly trouble: string;
}

/** What is read of a token's record. */
export interface TokenParts {
  readonly subject: Subject;
  readonly record: Ask["record"];
  /** Its fields, where the answer's record has others than the contract's. */
  readonly fields?: Fields;
  readonly answer: Answer | undefined;
  readonly doubts: readonly Doubt[];
  /** What is known of the token besides. */
  readonly facts: TokenFacts;
  /** Another unit than the token's symbol, or null. */
  readonly unit?: (metric: string) => string | null;
  readonly marks?: readonly Mark[];
  /** What the subject is called where the rule gives it no name; the token's own name if not given. */
  readonly label?: string;
  /** Its page below the explorer's address; the token's own if not given. */
  readonly page?: string;
}

export class TokenReading implements Reading {
  readonly rows: readonly Row[];
  readonly absent: boolean;
  readonly unanswered: Ask["record"] | null;
  readonly closed = false;
  readonly #parts: TokenParts;
  readonly #fields: Fields;
  readonly #record: RawRecord | null;

  constructor(parts: TokenParts) {
    this.#parts = parts;
    this.#fields = parts.fields ?? fieldsOf(parts.record);
    this.#record = recordOf(parts.answer);
    this.absent = parts.answer?.status === "absent";
    this.unanswered = failedOf(parts.record, parts.answer);
    const doubted = parts.doubts.map(({ field }) => field);
    this.rows = this.#record === null ? [] : [new TokenRow(this.#record, this.#fields, doubted)];
  }

  get trouble(): string | null {
    const { answer, doubts, facts } = this.#parts;
    if (this.#record === null) return answerTrouble(answer);
    const troubles = doubts.map(({ trouble }) => trouble);
    const counts = Object.values(this.#fields).some(({ quantity }) => quantity === "raw");
    // Without its decimals an amount is known, and a limit in tokens is not.
    if (counts && facts.trouble !== null) troubles.push(facts.trouble);
    return joinTroubles([...troubles, ...fieldTroubles(this.#record, this.#fields)]);
  }

  /** Most of these records do not tell when they were made. */
  marks(): readonly Mark[] {
    return this.#parts.marks ?? [];
  }

  /** As the token's info tells; what the rule says counts for more, which is not looked at here. */
  decimals(name: string): number | null {
    return this.#fields[name]?.quantity === "raw" ? this.#parts.facts.decimals : null;
  }

  describe(): Description {
    const { subject, label, page, facts, unit } = this.#parts;
    const token = subject.ids.token ?? "";
    const explorer = chainById(subject.chainId)?.explorer;
    return {
      label: label ?? tokenName(token, facts),
      chain: chainName(subject.chainId),
      link: explorer === undefined ? null : `${explorer}${page ?? `/token/${token}`}`,
      range: null,
      unit: (metric) => unit?.(metric) ?? this.#symbolOf(metric),
    };
  }

  /** What follows an amount of the token. */
  #symbolOf(metric: string): string {
    const quantity = this.#fields[metric]?.quantity;
    return quantity === "raw" || quantity === "tokens" ? (this.#parts.facts.symbol ?? "") : "";
  }
}

/** The token's symbol, or else its address made short. */
export function tokenName(token: string, { symbol }: TokenFacts): string {
  return symbol ?? shortId(token);
}

class TokenRow implements Row {
  readonly date = null;

  constructor(
    private readonly record: RawRecord,
    private readonly fields: Fields,
    private readonly doubted: readonly string[],
  ) {}

  value(name: string): Value | null {
    const spec = this.fields[name];
    if (spec === undefined || this.doubted.includes(name)) return null;
    return readField(this.record, name, spec);
  }
}
