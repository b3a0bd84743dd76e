import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buttonsOf, pressOf } from "../../../src/channels/telegram-buttons.ts";
import { NOTICE_KINDS } from "../../../src/model/index.ts";
import { commandOf, incomingOf } from "../../../src/ops/telegram/incoming.ts";
import { propertyRuns } from "../../support/tier.ts";

const from = { id: 42, is_bot: false, first_name: "Anna" };
const chat = { id: -100_777 };
const written = { message_id: 7, date: 1_000, text: "/status", from, chat };

describe("a Telegram update", () => {
  it("is what a person wrote, with who it was", () => {
    expect(incomingOf({ update_id: 5, message: written })).toEqual({
      kind: "text",
      update: 5,
      chat: "-100777",
      thread: null,
      message: 7,
      sender: { id: 42, name: "Anna (Telegram 42)" },
      text: "/status",
      date: 1_000,
    });
  });

  it.each([
    ["of a bot", { ...written, from: { ...from, is_bot: true } }],
    ["forwarded", { ...written, forward_origin: { type: "user" } }],
    ["forwarded, as it was said before", { ...written, forward_date: 999 }],
    ["of an anonymous administrator", { ...written, sender_chat: chat }],
    ["made by another bot", { ...written, via_bot: from }],
    ["without a text", { ...written, text: undefined }],
    ["without a sender", { ...written, from: undefined }],
    ["with numbers that are none", { ...written, from: { ...from, id: 4.2 } }],
    ["with numbers as text", { ...written, chat: { id: "-100777" } }],
  ])("is nothing where it is %s", (_, message) => {
    expect(incomingOf({ update_id: 5, message })).toBeNull();
  });

  it("never throws, whatever comes", () => {
    const anything = fc.anything({ maxDepth: 4 });
    fc.assert(
      fc.property(
        fc.oneof(
          anything,
          fc.record({ update_id: fc.oneof(fc.integer(), anything), message: anything }),
          fc.record({
            update_id: fc.integer(),
            message: fc.record({ from: anything, chat: anything, text: anything }),
          }),
          fc.record({
            update_id: fc.integer(),
            callback_query: fc.record({
              id: anything,
              from: anything,
              data: anything,
              message: anything,
            }),
          }),
        ),
        (update) => {
          const incoming = incomingOf(update);
          expect(incoming === null || typeof incoming.sender.id === "number").toBe(true);
        },
      ),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it("calls people by a clean name and their number", () => {
    const named = (more: object) =>
      incomingOf({ update_id: 1, message: { ...written, from: { ...from, ...more } } })?.sender
        .name;
    expect(named({ username: "anna_b" })).toBe("anna_b (Telegram 42)");
    expect(named({ first_name: "\u202Eevil\n\u0000" })).toBe("evil (Telegram 42)");
    expect(named({ first_name: 7 })).toBe("user (Telegram 42)");
  });
});

describe("a command", () => {
  it.each([
    ["/status", { kind: "status" }],
    ["  /FIRING  ", { kind: "firing" }],
    ["/status@tickwatch_bot", { kind: "status" }],
    ["/status@Tickwatch_Bot", { kind: "status" }],
    ["/status@other_bot", null],
    ["/start", { kind: "help" }],
    ["/why my-range", { kind: "why", rule: "my-range" }],
    ["/why", { kind: "wrong", usage: "/why RULE" }],
    ["/ack my-range", { kind: "ack", rule: "my-range", subject: null }],
    [
      "/ack my-range Treasury ETH/USDC",
      { kind: "ack", rule: "my-range", subject: "Treasury ETH/USDC" },
    ],
    ["/silence my-range 8h", { kind: "silence", rule: "my-range", subject: null, span: "8h" }],
    [
      "/silence my-range Treasury 30m",
      { kind: "silence", rule: "my-range", subject: "Treasury", span: "30m" },
    ],
    ["/silence my-range", { kind: "wrong", usage: "/silence RULE [SUBJECT] 8h" }],
    ["/unknown", null],
    ["/unknown@tickwatch_bot", { kind: "help" }],
    ["hello", null],
    ["", null],
    ["/", null],
  ])("%j is %j", (text, command) => {
    expect(commandOf(text, "tickwatch_bot")).toEqual(command);
  });

  it("never throws, whatever is written", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `/ack ${text}`),
        ),
        (text) => {
          expect(commandOf(text, "bot")?.kind).not.toBe("");
        },
      ),
      { numRuns: propertyRuns(500) },
    );
  });
});

describe("the buttons of a message", () => {
  it.each(NOTICE_KINDS)("under %s are short enough and come back as they went", (kind) => {
    const buttons = buttonsOf({ id: "0123456789abcdef01234567", kind }) as {
      inline_keyboard: { text: string; callback_data: string }[][];
    } | null;
    const all = buttons?.inline_keyboard.flat() ?? [];
    for (const { text, callback_data } of all) {
      expect(Buffer.byteLength(callback_data)).toBeLessThanOrEqual(64);
      expect(pressOf(callback_data)?.button.text).toBe(text);
      expect(pressOf(callback_data)?.id).toBe("0123456789abcdef01234567");
    }
    const words = all.map(({ callback_data }) => callback_data.split(":")[0]);
    const expected = ["fired", "worse", "reminder"].includes(kind)
      ? ["ack", "s1h", "s8h"]
      : ["no_data", "changed", "flapping"].includes(kind)
        ? ["s1h", "s8h"]
        : [];
    expect(words).toEqual(expected);
  });

  it.each([
    "",
    "ack",
    "ack:",
    "ack:xyz",
    "nope:0123456789abcdef",
    "ack:0123456789abcdef; DROP",
    "s1h:../../etc",
  ])("that were never ours are none: %j", (data) => {
    expect(pressOf(data)).toBeNull();
  });
});
