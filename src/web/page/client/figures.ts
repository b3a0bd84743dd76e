/** Numbers of the chart, in the form that the server has learnt from the API. */

const short = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

/** A value for the axis: in the unit of the page, with M and B for what is large. */
export function numberText(
  value: number,
  { power = "0", before = "", after = "" }: DOMStringMap,
): string {
  const number = value / 10 ** Number(power);
  const size = Math.abs(number);
  const [divisor, letter] =
    size >= 1e12 ? [1e12, "T"] : size >= 1e9 ? [1e9, "B"] : size >= 1e6 ? [1e6, "M"] : [1, ""];
  // Long units stand in the heading.
  return `${before}${short.format(number / divisor)}${letter}${after.length > 5 ? "" : after}`;
}

/** All digits of an exact value, the point moved to where people read it. */
export function exactText(
  exact: string,
  { power = "0", before = "", after = "" }: DOMStringMap,
): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(exact);
  if (match === null) return exact;
  const [, sign = "", whole = "", fraction = ""] = match;
  const places = fraction.length + Number(power);
  const digits = (whole + fraction + "0".repeat(Math.max(0, -places))).padStart(
    Math.max(0, places) + 1,
    "0",
  );
  const cut = digits.length - Math.max(0, places);
  const head = digits
    .slice(0, cut)
    .replace(/^0+(?=\d)/, "")
    .replace(/\B(?=(?:\d{3})+$)/g, ",");
  const tail = digits.slice(cut).replace(/0+$/, "");
  return `${sign}${before}${head}${tail === "" ? "" : `.${tail}`}${after}`;
}
