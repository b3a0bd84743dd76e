/**
 * What a number counts, which decides the units that a threshold may have.
 * `raw` and `raw(…)` are a token's smallest units; `percent` counts 1 as one percent; `fee` is in
 * hundredths of a basis point; `seconds` is Unix time.
 */
export type Quantity =
  | "raw"
  | "raw(token0)"
  | "raw(token1)"
  | "tokens"
  | "wei"
  | "usd"
  | "tick"
  | "ratio"
  | "percent"
  | "price"
  | "fee"
  | "count"
  | "integer"
  | "seconds"
  | "text"
  | "address"
  | "boolean";

/** Whether a quantity counts a token's smallest units. */
export function countsRaw(quantity: Quantity): boolean {
  return quantity === "raw" || quantity === "raw(token0)" || quantity === "raw(token1)";
}
