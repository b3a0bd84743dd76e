/** A sign, a dollar, and digits with what people part them by; what follows is the unit. */
const WRITTEN = /^[-+$ ]*(\d[\d.,_' ]*)/;
const THOUSANDS = /^[1-9]\d{0,2}(?:([' .])\d{3})(?:\1\d{3})*$/;

/**
 * What a text was meant to be whose number is written as elsewhere, with its unit: `0.995` for `0,995`,
 * `1_000_000 usd` for `1.000.000 usd`. `1,005` may be a decimal fraction or a thousand and five: of two
 * readings that are a thousand times apart neither is dropped. Empty if nothing is seen.
 */
export function meantNumbers(text: string): readonly string[] {
  const written = (WRITTEN.exec(text)?.[1] ?? "").replace(/[.,_' ]+$/, "");
  if (written === "") return [];
  const at = text.indexOf(written);
  const [before, after] = [text.slice(0, at), text.slice(at + written.length)];
  return readingsOf(written).map((number) => `${before}${number}${after}`);
}

function readingsOf(written: string): readonly string[] {
  // Nobody parts a zero off, so that this is a point that was taken for one, or a comma.
  const zero = /^(0+)_([\d_]+)$/.exec(written);
  if (zero !== null) {
    const [, , rest = ""] = zero;
    return [`0.${rest.replaceAll("_", "")}`, rest.replace(/^[0_]+(?=\d)/, "")];
  }
  const commas = written.split(",").length - 1;
  const points = written.split(".").length - 1;
  if (commas === 0) {
    // One point is a point.
    const parted = THOUSANDS.exec(written)?.[1];
    return parted === undefined || (parted === "." && points === 1)
      ? []
      : [written.replaceAll(parted, "_")];
  }
  if (points > 0) return mixed(written);
  return commas === 1 ? oneComma(written) : manyCommas(written);
}

/** `1,000.5` and `1.000,5`: the one that comes last is the decimal point. */
function mixed(written: string): readonly string[] {
  const [group, point] = written.lastIndexOf(",") < written.lastIndexOf(".") ? ",." : ".,";
  const [whole = "", fraction = "", ...more] = written.split(point ?? "");
  const groups = whole.split(group ?? "");
  if (more.length > 0 || !/^\d+$/.test(fraction) || !areThousands(groups)) return [];
  return [`${groups.join("_")}.${fraction}`];
}

function oneComma(written: string): readonly string[] {
  const [whole = "", rest = ""] = written.split(",");
  if (!/^\d+$/.test(whole) || !/^\d+$/.test(rest)) return [];
  const decimal = `${whole}.${rest}`;
  return areThousands([whole, rest]) ? [decimal, `${whole}_${rest}`] : [decimal];
}

/** In India groups but the last are of two digits. */
function manyCommas(written: string): readonly string[] {
  return /^[1-9]\d{0,2}(?:,\d{2,3})+,\d{3}$/.test(written) ? [written.replaceAll(",", "_")] : [];
}

/** Groups of three digits after one that begins with no zero. */
function areThousands([first = "", ...others]: readonly string[]): boolean {
  return /^[1-9]\d{0,2}$/.test(first) && others.every((one) => /^\d{3}$/.test(one));
}
