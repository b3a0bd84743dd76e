import { chainById, chainName } from "../base/chains.ts";
import { cleanText } from "../base/text.ts";
import { ADDRESS } from "../contract/endpoints.ts";
import { readField } from "../contract/fields.ts";
import type { Answer, Ask, RawRecord, Subject, Value } from "../model.ts";
import {
  answerTrouble,
  type Fields,
  failedOf,
  fieldsOf,
  fieldTroubles,
  joinTroubles,
  recordOf,
} from "./fields.ts";
import type { Description, Reading, Row, TargetSpec } from "./watch.ts";

/** What the kinds that watch ERC-20 tokens have in common: targets, one record, one row. */

export const TOKEN_TARGETS: TargetSpec = {
  key: "token",
  id: { pattern: ADDRESS, expected: "an address, 0x and 40 hex digits" },
  protocols: null,
};

/** A field of a good record that cannot be true, and why, in clean words. */
export interface Doubt {
  readonly field: string;
  readonly trouble: string;
}

/** What is read of a token's record. */
export interface TokenParts {
  readonly subject: Subject;
  readonly record: "supply" | "balance" | "holder_count";
  readonly answer: Answer | undefined;
  readonly doubt: Doubt | null;
  /** What the subject is called where the rule gives it no name. */
  readonly label: string;
  /** Its page below the explorer's address. */
  readonly page: string;
}

export class TokenReading implements Reading {
  readonly rows: readonly Row[];
  readonly absent: boolean;
  readonly unanswered: Ask["record"] | null;
  readonly closed = false;
  readonly #parts: TokenParts;
  readonly #record: RawRecord | null;

  constructor(parts: TokenParts) {
    this.#parts = parts;
    this.#record = recordOf(parts.answer);
    this.absent = parts.answer?.status === "absent";
    this.unanswered = failedOf(parts.record, parts.answer);
    const fields = fieldsOf(parts.record);
    this.rows = this.#record === null ? [] : [new TokenRow(this.#record, fields, parts.doubt)];
  }

  get trouble(): string | null {
    const { record, answer, doubt } = this.#parts;
    if (this.#record === null) return answerTrouble(answer);
    const troubles = fieldTroubles(this.#record, fieldsOf(record));
    if (doubt !== null) troubles.unshift(doubt.trouble);
    return joinTroubles(troubles);
  }

  /** These records do not tell when they were made. */
  marks(): [] {
    return [];
  }

  /** These records do not tell: the rule says it, or nobody knows. */
  decimals(): null {
    return null;
  }

  describe(): Description {
    const { subject, label, page } = this.#parts;
    const explorer = chainById(subject.chainId)?.explorer;
    return {
      label: (subject.name === null ? "" : cleanText(subject.name)) || label,
      chain: chainName(subject.chainId),
      link: explorer === undefined ? null : `${explorer}${page}`,
      range: null,
      // The records name no symbol.
      unit: () => "",
    };
  }
}

class TokenRow implements Row {
  readonly date = null;

  constructor(
    private readonly record: RawRecord,
    private readonly fields: Fields,
    private readonly doubt: Doubt | null,
  ) {}

  value(name: string): Value | null {
    const spec = this.fields[name];
    if (spec === undefined || this.doubt?.field === name) return null;
    return readField(this.record, name, spec);
  }
}
