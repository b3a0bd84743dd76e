import { ADDRESS } from "../api/endpoints.ts";
import { shortId } from "../base/text.ts";
import type { Answer, Ask, KindWords, RawRecord, Subject, Value } from "../model/index.ts";
import { BaseReading, type Fields, fieldsOf, fieldTroubles, valueIn } from "./fields.ts";
import type { Mark, Row, Target, TargetSpec } from "./kind.ts";
import type { TokenFacts } from "./tokens.ts";

/** What the kinds that watch ERC-20 tokens have in common: targets, subjects, one record, one row. */

export const TOKEN_TARGETS: TargetSpec = {
  key: "token",
  id: { pattern: ADDRESS, expected: "an address, 0x and 40 hex digits" },
  protocols: null,
};

export const TOKEN_WORDS: KindWords = { subjects: "tokens" };

/** For kinds that count a token, whose unit names it. */
export const TOKEN_COUNT_WORDS: KindWords = { ...TOKEN_WORDS, metricFirst: true };

/** A token on one chain, for kinds that have no other ids. */
export function tokenSubject(kind: string, { chainId, id, name }: Target): Subject {
  const token = (id ?? "").toLowerCase();
  return { key: `${kind}:${chainId}:${token}`, kind, chainId, ids: { token }, name };
}

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
  readonly doubts?: readonly Doubt[];
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

export class TokenReading extends BaseReading {
  readonly rows: readonly Row[];
  readonly #fields: Fields;

  constructor(private readonly parts: TokenParts) {
    super(parts.subject, parts.record, parts.answer);
    this.#fields = parts.fields ?? fieldsOf(parts.record);
    const { record } = this;
    const doubted = new Set(parts.doubts?.map(({ field }) => field));
    const value = (name: string): Value | null =>
      doubted.has(name) ? null : valueIn(this.#fields, record, name);
    this.rows = record === null ? [] : [{ date: null, value }];
  }

  protected troublesOf(record: RawRecord): readonly string[] {
    const { doubts = [], facts } = this.parts;
    const troubles = doubts.map(({ trouble }) => trouble);
    const counts = Object.values(this.#fields).some(({ quantity }) => quantity === "raw");
    // Without its decimals an amount is known, and a limit in tokens is not.
    if (counts && facts.trouble !== null) troubles.push(facts.trouble);
    return [...troubles, ...fieldTroubles(record, this.#fields)];
  }

  /** Most of these records do not tell when they were made. */
  override marks(): readonly Mark[] {
    return this.parts.marks ?? [];
  }

  /** As the token's info tells; what the rule says counts for more, which is not looked at here. */
  override decimals(name: string): number | null {
    return this.#fields[name]?.quantity === "raw" ? this.parts.facts.decimals : null;
  }

  protected label(): string {
    return this.parts.label ?? tokenName(this.#token, this.parts.facts);
  }

  protected override page(): string {
    return this.parts.page ?? `/token/${this.#token}`;
  }

  /** What follows an amount of the token is its symbol. */
  protected override unit(metric: string): string {
    const { unit, facts } = this.parts;
    const quantity = this.#fields[metric]?.quantity;
    const symbol = quantity === "raw" || quantity === "tokens" ? facts.symbol : null;
    return unit?.(metric) ?? symbol ?? "";
  }

  get #token(): string {
    return this.subject.ids.token ?? "";
  }
}

/** The token's symbol, or else its address made short. */
export function tokenName(token: string, { symbol }: TokenFacts): string {
  return symbol ?? shortId(token);
}
