import type { Quantity, Rule } from "../../model/index.ts";
import { errorAt, type Path, type Report, warningAt } from "../../rules/finding.ts";
import type { Watch } from "./watch-key.ts";

/** What cannot be added up to anything, in the plural. */
const NO_SUM: Readonly<Partial<Record<Quantity, string>>> = {
  wei: "gas prices",
  tick: "ticks",
  ratio: "shares",
  percent: "percentages",
  price: "prices",
  fee: "fees",
  seconds: "times",
};

const NO_NUMBER: ReadonlySet<Quantity> = new Set<Quantity>(["text", "address", "boolean"]);

/** Checks that the `across` at `path` makes sense for the metrics that the conditions name. */
export function checkAcross(
  across: NonNullable<Rule["across"]>,
  metrics: readonly string[],
  { kind, targets }: Watch,
  path: Path,
  report: Report,
): void {
  const { subjects, decimals } = targets;
  for (const name of metrics) {
    const quantity = kind.metrics.get(name)?.quantity ?? "integer";
    const trouble = troubleWith(across, name, quantity);
    if (trouble !== null) {
      report(errorAt("bad-across", path, trouble.message, trouble.expected));
      return;
    }
    if (quantity !== "raw" || subjects.length === 0) continue;
    const [first, ...others] = subjects.map(({ key }) => decimals.get(key));
    if (others.some((other) => other !== first)) {
      const message = `${across} would mix raw units of tokens with different decimals`;
      report(errorAt("bad-across", path, message, "subjects whose decimals: are the same"));
      return;
    }
  }
  if (subjects.length === 1) {
    report(warningAt("no-effect", path, `${across} of a single subject is its value`));
  }
}

function troubleWith(
  across: NonNullable<Rule["across"]>,
  name: string,
  quantity: Quantity,
): { message: string; expected: string } | null {
  if (NO_NUMBER.has(quantity)) {
    return {
      message: `${across} needs numbers, and ${name} is not one`,
      expected: "no across here",
    };
  }
  if (quantity === "raw(token0)" || quantity === "raw(token1)") {
    const message = `${across} would mix the raw units of different tokens in ${name}`;
    return { message, expected: `${name}_d, which counts whole tokens` };
  }
  const plural = across === "sum" ? NO_SUM[quantity] : undefined;
  if (plural === undefined) return null;
  return { message: `${name} has no sum: ${plural} cannot be added`, expected: "min or max" };
}
