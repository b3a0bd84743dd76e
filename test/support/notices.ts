import type { Message, Notice } from "../../src/model/index.ts";

/** Notices and messages for the tests of channels and delivery. */

export function noticeOf(more: Partial<Notice> = {}): Notice {
  return {
    id: "0123456789abcdef",
    kind: "fired",
    severity: "warning",
    rule: "my-range",
    subject: "v4_position:1:dexa:42",
    at: Date.UTC(2026, 10, 27, 15, 6),
    headline: "🟠 Out of range: Treasury ETH/USDC. 2,310 > 2,250 USDC/ETH. Now all USDC",
    title: null,
    note: null,
    fields: [
      { name: "Price", value: "2,310 USDC per ETH" },
      { name: "Chain", value: "Ethereum" },
    ],
    link: "https://etherscan.io/nft/0x0/42",
    range: {
      lower: "2,050",
      upper: "2,250",
      price: "2,310",
      unit: "USDC per ETH",
      inverted: false,
      lowerTick: -200_060,
      upperTick: -199_130,
      tick: -198_870,
    },
    recent: ["1", "2", "3"],
    values: [
      {
        subject: "v4_position:1:dexa:42",
        metric: "in_range",
        quantity: "boolean",
        value: "false",
        decimals: null,
        unit: "",
        op: "equals",
        limits: ["false"],
        base: null,
        baseAt: null,
      },
    ],
    labels: {},
    ...more,
  };
}

export function messageOf(body: string, more: Partial<Message> = {}): Message {
  return { id: "m1", channel: "c", notices: ["0123456789abcdef"], body, attempts: 1, ...more };
}

/** What a token's symbol or a pool's name may try. */
export const HOSTILE: readonly string[] = [
  "<!channel>",
  "<!here|here>",
  "<@U1>",
  "<#C1>",
  "<https://evil.example/x|USDC>",
  "&lt;!channel&gt;",
  "a & b",
  "```code``` `c`",
  "*bold* _italic_ ~struck~",
  ":smile: :+1:",
  "\u202Eevil\u202C",
  "zero\u200Bwidth\u200D\uFEFF",
  "\u001B[31mred\u001B[0m\u0007\u009B2J",
  "line\r\nbreak\u2028other",
  "x".repeat(5_000),
  "<".repeat(5_000),
];

/** A notice that carries one text wherever a notice can carry one. */
export function hostileNotice(text: string): Notice {
  return noticeOf({
    headline: text,
    title: text,
    note: text,
    rule: text,
    link: text,
    fields: Array.from({ length: 60 }, () => ({ name: text, value: text })),
    range: {
      lower: text,
      upper: text,
      price: text,
      unit: text,
      inverted: false,
      lowerTick: 0,
      upperTick: 10,
      tick: 5,
    },
    recent: [text, "1", "2"],
    labels: { [text]: text },
  });
}
