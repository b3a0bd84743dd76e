import { nearest } from "../../base/nearest.ts";
import { alternatives } from "../../base/settings.ts";
import { cleanText } from "../../base/text.ts";
import type { Metric } from "../../kinds/kind.ts";
import type { AmountLimit } from "../../model/index.ts";
import { QuantityError, shown } from "../quantity-error.ts";

/** `true` or `false`. Throws QuantityError. */
export function booleanLimit(text: string): AmountLimit {
  const lower = text.toLowerCase();
  if (lower === "true" || lower === "false") {
    return { kind: "value", value: lower === "true", text: lower };
  }
  const meant = ["yes", "on", "1"].includes(lower)
    ? "true"
    : ["no", "off", "0"].includes(lower)
      ? "false"
      : null;
  throw new QuantityError(`${shown(text)} is neither true nor false`, {
    expected: "true or false",
    ...(meant === null ? {} : { suggestion: meant }),
  });
}

/** An address in lower case. Throws QuantityError. */
export function addressLimit(text: string): AmountLimit {
  if (/^0x[0-9a-f]{40}$/i.test(text)) {
    return { kind: "value", value: text.toLowerCase(), text: text.toLowerCase() };
  }
  const digits = /^0x([0-9a-f]*)$/i.exec(text)?.[1];
  throw new QuantityError(
    digits === undefined
      ? `${shown(text)} is not an address`
      : `the address has ${digits.length} hex digits`,
    { expected: "an address, 0x and 40 hex digits" },
  );
}

/** Text minds case, except in 0x… values, which are kept in lower case. Throws QuantityError. */
export function textLimit(text: string, metric: Metric): AmountLimit {
  if (metric.values !== undefined && !metric.values.includes(text)) {
    const near = nearest(text, metric.values);
    throw new QuantityError(`${metric.name} is never ${shown(text)}`, {
      expected: alternatives(metric.values),
      ...(near === null ? {} : { suggestion: near }),
    });
  }
  const value = /^0x[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text;
  return { kind: "value", value, text: cleanText(value, 128) };
}
