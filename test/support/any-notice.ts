import fc from "fast-check";
import { NOTICE_KINDS, type Notice } from "../../src/model/index.ts";
import { HOSTILE, noticeOf } from "./notices.ts";

/** Notices of every kind whose texts are anything, also what a real one never holds. */

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.constantFrom(
    ...HOSTILE,
    "",
    " ",
    "🦄".repeat(3_000),
    "&".repeat(3_000),
    "\ud800",
    "é".repeat(900),
  ),
);
const maybe = fc.option(text, { nil: null });
const link = fc.option(
  fc.constantFrom(
    "https://etherscan.io/nft/0x0/42",
    `https://a.example/?${"&".repeat(1_900)}`,
    `https://a.example/${"x".repeat(5_000)}`,
    `https://a.example/${"(".repeat(900)}`,
    "javascript:alert(1)",
  ),
  { nil: null },
);

export const anyNotice: fc.Arbitrary<Notice> = fc
  .record({
    kind: fc.constantFrom(...NOTICE_KINDS),
    severity: fc.constantFrom("critical", "warning", "info"),
    at: fc.integer({ min: 0, max: 4_102_444_800_000 }),
    rule: maybe,
    subject: maybe,
    headline: text,
    title: maybe,
    note: maybe,
    link,
    fields: fc.array(fc.record({ name: text, value: text }), { maxLength: 40 }),
    labels: fc.dictionary(text, text, { maxKeys: 12 }),
    recent: fc.constantFrom([], ["1", "2", "3"]),
    firing: fc.array(fc.record({ subject: text, label: text }), { maxLength: 30 }),
    price: fc.option(text, { nil: null }),
  })
  .map(({ price, ...given }) => {
    const range =
      price === null ? null : { ...RANGE, lower: price, upper: price, price, unit: price };
    return noticeOf({ ...given, range });
  });

const RANGE = { inverted: false, lowerTick: 0, upperTick: 10, tick: 5 } as const;
