import { describe, expect, it } from "vitest";
import { type Form, Forms } from "../../../src/watches/stream/form.ts";

const WHOLE: Form = { lacks: 0, name: "n", rest: "r" };
const NO_SENDER: Form = { lacks: 0b0100, name: "n", rest: null };
const NO_AMOUNT: Form = { lacks: 0b1000, name: "n", rest: null };
const NO_NAME: Form = { lacks: 0b0001, name: null, rest: "r" };

const remembered = (form: Form | null, count = 1): Forms => new Forms([{ hash: "h", form, count }]);

describe("an entry that is shown in another form", () => {
  it("is no news where it only lacks something now", () => {
    expect(remembered(WHOLE).countFuller(NO_SENDER)).toBe(1);
    expect(remembered(WHOLE, 2).countFuller(NO_SENDER)).toBe(2);
    expect(remembered(WHOLE).lacked(NO_SENDER)).toBeNull();
  });

  it("is told with what it lacked before where it has more now", () => {
    expect(remembered(NO_SENDER).countFuller(WHOLE)).toBe(0);
    expect(remembered(NO_SENDER).lacked(WHOLE)).toEqual({ count: 1, hashes: ["h"] });
    expect(remembered(NO_SENDER).lacked(NO_AMOUNT)).toEqual({ count: 1, hashes: ["h"] });
  });

  it("is found by everything else where it lacks its name", () => {
    expect(remembered(WHOLE).countFuller(NO_NAME)).toBe(1);
    expect(remembered(NO_NAME).lacked(WHOLE)).toEqual({ count: 1, hashes: ["h"] });
  });

  it("is another one where its name is another, where the form is the same or not known", () => {
    expect(remembered({ ...WHOLE, name: "m", rest: "s" }).others(NO_SENDER)).toEqual([]);
    expect(remembered(NO_SENDER).others(NO_SENDER)).toEqual([]);
    expect(remembered(null).others(WHOLE)).toEqual([]);
    expect(remembered(WHOLE).others(null)).toEqual([]);
  });
});
