import { isInRange, type Signature, wholeArgument } from "../../base/signature.ts";
import { selectorOf } from "./calls.ts";
import { addressAt, intAt, uintAt, wordOf, wordOfAddress } from "./words.ts";

/** The data of a call with arguments that were checked. */
export function functionCallData({ name, inputs }: Signature, args: readonly string[]): string {
  const selector = selectorOf(`${name}(${inputs.join(",")})`);
  const heads: string[] = [];
  const tails: string[] = [];
  let offset = inputs.length * 32;
  for (const [i, type] of inputs.entries()) {
    const text = args[i] ?? "";
    if (type !== "string" && type !== "bytes") heads.push(wordOfArgument(type, text));
    else {
      const digits =
        type === "bytes" ? text.slice(2).toLowerCase() : Buffer.from(text).toString("hex");
      const padded = digits.padEnd(Math.ceil(digits.length / 64) * 64, "0");
      heads.push(wordOf(offset));
      tails.push(wordOf(digits.length / 2) + padded);
      offset += 32 + padded.length / 2;
    }
  }
  return selector + heads.join("") + tails.join("");
}

function wordOfArgument(type: string, text: string): string {
  if (type === "address") return wordOfAddress(text);
  if (type === "bool") return wordOf(text === "true" ? 1 : 0);
  if (type.startsWith("bytes")) return text.slice(2).toLowerCase().padEnd(64, "0");
  return wordOf(wholeArgument(text) ?? 0n);
}

/**
 * What a function gave: a number, true or false, or a text of an address or bytes for each result. Or why it
 * cannot be what the function says: another length, or a value that its type cannot hold.
 */
export function readResults(
  { outputs }: Signature,
  data: string,
): { readonly values: readonly (bigint | boolean | string)[] } | { readonly problem: string } {
  if (data === "0x") {
    return { problem: "there is no contract at this address, or it does not have this function" };
  }
  const bytes = (data.length - 2) / 2;
  if (bytes !== outputs.length * 32) {
    return {
      problem: `the answer has ${bytes} bytes, and the function says ${outputs.length * 32}`,
    };
  }
  const values: (bigint | boolean | string)[] = [];
  for (const [i, type] of outputs.entries()) {
    const value = resultAt(type, data, i);
    if (value === null) return { problem: `result ${i} is not of type ${type}` };
    values.push(value);
  }
  return { values };
}

function resultAt(type: string, data: string, index: number): bigint | boolean | string | null {
  const word = uintAt(data, index);
  if (word === null) return null;
  if (type === "address") return word >> 160n === 0n ? addressAt(data, index) : null;
  if (type === "bool") return word > 1n ? null : word === 1n;
  if (type.startsWith("bytes")) {
    const length = Number(type.slice(5)) * 2;
    const digits = word.toString(16).padStart(64, "0");
    return /^0*$/.test(digits.slice(length)) ? `0x${digits.slice(0, length)}` : null;
  }
  const value = type.startsWith("int") ? (intAt(data, index) ?? word) : word;
  return isInRange(type, value) ? value : null;
}
