import { type Comparable, Drop } from "liquidjs";
import { compare, Decimal, decimalFromNumber, parseDecimal } from "../../base/decimal.ts";

/** What a template can name. */
export type Facts = Readonly<Record<string, unknown>>;

/** An exact number in a template: it prints all its digits and compares by its value. */
export class ExactNumber extends Drop implements Comparable {
  constructor(readonly number: Decimal) {
    super();
  }

  override valueOf(): string {
    return this.number.toString();
  }

  override toString(): string {
    return this.number.toString();
  }

  equals(other: unknown): boolean {
    return this.#order(other) === 0;
  }

  gt(other: unknown): boolean {
    return (this.#order(other) ?? 0) > 0;
  }

  lt(other: unknown): boolean {
    return (this.#order(other) ?? 0) < 0;
  }

  geq(other: unknown): boolean {
    return (this.#order(other) ?? -1) >= 0;
  }

  leq(other: unknown): boolean {
    return (this.#order(other) ?? 1) <= 0;
  }

  /** Null: the other is no number, and neither greater nor less nor equal. */
  #order(other: unknown): number | null {
    const number = toExact(other);
    return number === null ? null : compare(this.number, number);
  }
}

/** The exact number that a template means by a value: a text may be one. */
export function toExact(value: unknown): Decimal | null {
  if (value instanceof ExactNumber) return value.number;
  if (value instanceof Decimal) return value;
  if (typeof value === "number") return decimalFromNumber(value);
  return typeof value === "string" ? parseDecimal(value.trim()) : null;
}

/** The facts with each Decimal as an exact number, those below a name too. */
export function exactIn(facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, exactly(fact)]));
}

function exactly(fact: unknown): unknown {
  if (fact instanceof Decimal) return new ExactNumber(fact);
  return isFacts(fact) ? exactIn(fact) : fact;
}

function isFacts(fact: unknown): fact is Facts {
  if (typeof fact !== "object" || fact === null) return false;
  return Object.getPrototypeOf(fact) === Object.prototype;
}
