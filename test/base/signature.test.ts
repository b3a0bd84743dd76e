import { describe, expect, it } from "vitest";
import {
  checkArguments,
  isInRange,
  parseSignature,
  resultNames,
  SignatureError,
  signatureText,
} from "../../src/base/signature.ts";

function troubleOf(text: string, args: readonly string[] = []) {
  try {
    checkArguments(parseSignature(text), args);
    return null;
  } catch (error) {
    if (error instanceof SignatureError) return [error.message, error.argument];
    throw error;
  }
}

describe("a function's signature", () => {
  it("is read with blanks and short types, and written in one form", () => {
    const signature = parseSignature(" balanceOf( address , uint )( uint , bool ) ");
    expect(signature).toEqual({
      name: "balanceOf",
      inputs: ["address", "uint256"],
      outputs: ["uint256", "bool"],
    });
    expect(signatureText(signature)).toBe("balanceOf(address,uint256)(uint256,bool)");
  });

  it("names results by their places, and those that cannot be compared not at all", () => {
    const names = (text: string) => resultNames(parseSignature(text));
    expect(names("f()(uint8)")).toEqual(["value"]);
    expect(names("f()(bool)")).toEqual(["flag"]);
    expect(names("f()(address,int24,bool)")).toEqual([null, "value1", "flag2"]);
  });

  it.each([
    ["balanceOf(address)", "the function has no return type"],
    ["balanceOf", "it is no function with its types"],
    ["", "it is no function with its types"],
    ["f()(uint8", "the function ends before its last )"],
    ["f(uint8", "the function ends before its last )"],
    ["1f()(uint8)", "it is no function with its types"],
    ["f(uint8)(uint8)(uint8)", "it is no function with its types"],
    ["f((uint8,uint8))(uint8)", "it is no function with its types"],
    ["f(uint8[])(uint8)", "lists such as uint8[] are not supported"],
    ["f()(uint256[3])", "lists such as uint256[3] are not supported"],
    ["f(uint7)(uint8)", "unknown type uint7"],
    ["f(uint264)(uint8)", "unknown type uint264"],
    ["f(bytes33)(uint8)", "unknown type bytes33"],
    ["f(uint08)(uint8)", "unknown type uint08"],
    ["f(,)(uint8)", "unknown type "],
    ["f()(string)", "a result of type string is no number"],
    ["f()(uint8,bytes)", "a result of type bytes is no number"],
    ["f()(address)", "a result of type address is no number"],
    ["f()()", "the function gives nothing"],
    [
      `f()(${Array.from({ length: 11 }, () => "bool").join()})`,
      "the function gives too many values",
    ],
    [
      `f(${Array.from({ length: 11 }, () => "bool").join()})(bool)`,
      "the function has too many arguments",
    ],
  ])("is refused as %j", (text, message) => {
    expect(troubleOf(text)).toEqual([message, null]);
  });

  it.each<[string, readonly string[], readonly [string, number | null] | null]>([
    ["uint8", ["255"], null],
    ["uint8", ["0xff"], null],
    ["uint256", [(2n ** 256n - 1n).toString()], null],
    ["uint256", [(2n ** 256n).toString()], ["the argument is no uint256", 0]],
    ["uint8", ["256"], ["the argument is no uint8", 0]],
    ["uint8", ["-1"], ["the argument is no uint8", 0]],
    ["uint8", ["1.5"], ["the argument is no uint8", 0]],
    ["uint8", [""], ["the argument is no uint8", 0]],
    ["int8", ["-128"], null],
    ["int8", ["-129"], ["the argument is no int8", 0]],
    ["uint8,int8", ["1", "128"], ["the argument is no int8", 1]],
    ["address", [`0x${"Ab".repeat(20)}`], null],
    ["address", ["0x12"], ["the argument is no address", 0]],
    ["bool", ["true"], null],
    ["bool", ["1"], ["the argument is no bool", 0]],
    ["bytes4", ["0x01020304"], null],
    ["bytes4", ["0x0102"], ["the argument is no bytes4", 0]],
    ["bytes", ["0x"], null],
    ["bytes", ["0x1"], ["the argument is no bytes", 0]],
    ["string", ["x".repeat(1_001)], ["the argument is no string", 0]],
    ["uint8", [], ["the function takes 1 argument, and 0 are given", null]],
    ["", ["1"], ["the function takes 0 arguments, and 1 is given", null]],
  ])("with arguments of (%s) takes %j: %j", (types, args, trouble) => {
    expect(troubleOf(`f(${types})(uint8)`, args)).toEqual(trouble);
  });

  it("knows what each type can hold", () => {
    expect([isInRange("uint112", 2n ** 112n - 1n), isInRange("uint112", 2n ** 112n)]).toEqual([
      true,
      false,
    ]);
    expect([isInRange("int256", -(2n ** 255n)), isInRange("int256", 2n ** 255n)]).toEqual([
      true,
      false,
    ]);
    expect(isInRange("bool", 1n)).toBe(false);
  });
});
