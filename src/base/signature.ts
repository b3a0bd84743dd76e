/** A contract's function as people write it: its name, and the types of its arguments and results. */
export interface Signature {
  readonly name: string;
  /** Canonical types, such as `uint256`. */
  readonly inputs: readonly string[];
  /** Likewise; each stands in one word. */
  readonly outputs: readonly string[];
}

/** Why a signature, or an argument of it, cannot be used, in clean words. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";

  constructor(
    message: string,
    /** What to write in its place. */
    readonly expected: string,
    /** The place of the argument that it is about; null: the signature, or all of them. */
    readonly argument: number | null = null,
  ) {
    super(message);
  }
}

/** A function with more results is asked for something simpler. */
const MOST_RESULTS = 10;
/** What stands behind the name of a result: nothing where it is the only one, or its place. */
export const RESULT_PLACES: readonly string[] = [
  "",
  ...Array.from({ length: MOST_RESULTS }, (_, i) => String(i)),
];
const MOST_ARGUMENTS = 10;
/** A text or bytes that are longer are no argument of a view. */
const LONGEST_ARGUMENT = 1_000;
const FORM = "name(types)(types), such as balanceOf(address)(uint256)";

/**
 * Reads `name(types of arguments)(types of results)`; blanks do not count. Throws SignatureError for
 * another form, unknown types, and results that are no single words.
 */
export function parseSignature(text: string): Signature {
  const parts = /^([A-Za-z_$][\w$]{0,99})\(([^()]*)\)\(([^()]*)\)$/.exec(
    text.replaceAll(/\s/g, ""),
  );
  if (parts === null) {
    throw new SignatureError(...formTrouble(text.replaceAll(/\s/g, "")));
  }
  const [, name = "", inputs = "", outputs = ""] = parts;
  const signature = { name, inputs: typesIn(inputs), outputs: typesIn(outputs) };
  if (signature.inputs.length > MOST_ARGUMENTS) {
    throw new SignatureError("the function has too many arguments", `${MOST_ARGUMENTS} at most`);
  }
  for (const type of signature.outputs) {
    if (isWord(type)) continue;
    const expected = "results that are numbers or true and false";
    throw new SignatureError(`a result of type ${type} is no number`, expected);
  }
  if (signature.outputs.length > MOST_RESULTS) {
    throw new SignatureError("the function gives too many values", `${MOST_RESULTS} at most`);
  }
  if (!signature.outputs.some(isWatchable)) {
    const [type] = signature.outputs;
    const what =
      type === undefined ? "the function gives nothing" : `a result of type ${type} is no number`;
    throw new SignatureError(what, "a result that is a number or true and false");
  }
  return signature;
}

function formTrouble(text: string): [message: string, expected: string] {
  if (/\([^)]*$/.test(text)) {
    // In { } a comma ends a value.
    return [
      "the function ends before its last )",
      `quotes around it: "balanceOf(address)(uint256)"`,
    ];
  }
  const isWithoutResults = /^[A-Za-z_$][\w$]*\([^()]*\)$/.test(text);
  return [
    isWithoutResults ? "the function has no return type" : "it is no function with its types",
    FORM,
  ];
}

/** The form in which everybody writes the same one: `balanceOf(address)(uint256)`. */
export function signatureText({ name, inputs, outputs }: Signature): string {
  return `${name}(${inputs.join(",")})(${outputs.join(",")})`;
}

/** Whether a result can be compared: a number, or true and false. */
function isWatchable(type: string): boolean {
  return type === "bool" || /^u?int/.test(type);
}

/**
 * The name of each result: `value` of the only one, or `value0` and so on; `flag` in its place where it is
 * true or false. Null for one that cannot be compared.
 */
export function resultNames({ outputs }: Signature): readonly (string | null)[] {
  return outputs.map((type, i) => {
    if (!isWatchable(type)) return null;
    return `${type === "bool" ? "flag" : "value"}${outputs.length === 1 ? "" : i}`;
  });
}

function typesIn(text: string): readonly string[] {
  return text === "" ? [] : text.split(",").map(canonicalType);
}

function canonicalType(type: string): string {
  if (type === "uint" || type === "int") return `${type}256`;
  if (isWord(type) || type === "string" || type === "bytes") return type;
  const isList = /[[\]]/.test(type);
  throw new SignatureError(
    isList
      ? `lists such as ${type.slice(0, 40)} are not supported`
      : `unknown type ${type.slice(0, 40)}`,
    "uint256, int256, address, bool, bytes32, string or bytes",
  );
}

/** Whether a value of a type is one word. */
function isWord(type: string): boolean {
  if (type === "address" || type === "bool") return true;
  const [, bits] = /^u?int([1-9]\d{0,2})$/.exec(type) ?? [];
  if (bits !== undefined) return Number(bits) <= 256 && Number(bits) % 8 === 0;
  const [, bytes] = /^bytes([1-9]\d?)$/.exec(type) ?? [];
  return bytes !== undefined && Number(bytes) <= 32;
}

/** Checks that there is one argument for each type and that it is of that type. Throws SignatureError. */
export function checkArguments({ inputs }: Signature, args: readonly string[]): void {
  if (args.length !== inputs.length) {
    const count = inputs.length === 1 ? "1 argument" : `${inputs.length} arguments`;
    throw new SignatureError(
      `the function takes ${count}, and ${args.length} ${args.length === 1 ? "is" : "are"} given`,
      inputs.length === 0 ? "no args" : `args: [${inputs.join(", ")}]`,
    );
  }
  for (const [i, type] of inputs.entries()) {
    if (isArgument(type, args[i] ?? "")) continue;
    throw new SignatureError(`the argument is no ${type}`, expectedOf(type), i);
  }
}

function isArgument(type: string, text: string): boolean {
  if (text.length > LONGEST_ARGUMENT) return false;
  if (type === "string") return true;
  if (type === "address") return /^0x[0-9a-f]{40}$/i.test(text);
  if (type === "bool") return text === "true" || text === "false";
  if (type === "bytes") return /^0x(?:[0-9a-f]{2})*$/i.test(text);
  const [, bytes] = /^bytes(\d+)$/.exec(type) ?? [];
  if (bytes !== undefined) return new RegExp(`^0x[0-9a-f]{${Number(bytes) * 2}}$`, "i").test(text);
  const value = wholeArgument(text);
  return value !== null && isInRange(type, value);
}

/** A whole number as it is written in an argument, in decimal or hexadecimal digits; null for anything else. */
export function wholeArgument(text: string): bigint | null {
  const match = /^(-?)(0x[0-9a-f]{1,64}|\d+(?:_\d+)*)$/i.exec(text);
  if (match === null) return null;
  const [, sign, digits = ""] = match;
  const value = BigInt(digits.replaceAll("_", ""));
  return sign === "-" ? -value : value;
}

/** Whether a type such as `uint8` or `int24` can hold a number. */
export function isInRange(type: string, value: bigint): boolean {
  const [, sign, bits = "256"] = /^(u?)int(\d+)$/.exec(type) ?? [];
  if (sign === undefined) return false;
  const size = 1n << BigInt(Number(bits) - (sign === "u" ? 0 : 1));
  return value < size && value >= (sign === "u" ? 0n : -size);
}

function expectedOf(type: string): string {
  if (type === "address") return "an address, 0x and 40 hex digits";
  if (type === "bool") return "true or false";
  if (type.startsWith("bytes"))
    return type === "bytes" ? "0x and hex digits" : `0x and the digits of ${type}`;
  return type === "string" ? "a short text" : `a whole number that ${type} can hold`;
}
