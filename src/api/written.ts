import { pow10 } from "../base/decimal.ts";

/** How the specification writes values. */

/** Raw units as the specification's `_d` fields show them: six fractional digits, cut. */
export function sixDecimals(raw: bigint, decimals: number): string {
  const millionths = (raw * 1_000_000n) / pow10(decimals);
  const digits = millionths.toString().padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** The same with a sign, `+` for zero as well: `-12.500000`. */
export function signedDecimals(raw: bigint, decimals: number): string {
  return raw < 0n ? `-${sixDecimals(-raw, decimals)}` : `+${sixDecimals(raw, decimals)}`;
}

/** US dollars rounded to whole cents. */
export function cents(usd: number): number {
  return Math.round(usd * 100) / 100;
}

/** With a sign, `+` above zero. */
export function signed(amount: bigint): string {
  return amount > 0n ? `+${amount}` : amount.toString();
}

/** Epoch milliseconds as the specification's Unix timestamps: whole seconds, as text. */
export function seconds(ms: number): string {
  return String(Math.floor(ms / 1000));
}

/** Epoch milliseconds as the specification's "ISO 8601 UTC": whole seconds, cut. */
export function isoTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
