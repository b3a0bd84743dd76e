import { expect, test } from "vitest";
import { TOPICS } from "../../../src/chain/codec/events.ts";
import { bloomTest, isBlank } from "../../../src/chain/index/logs.ts";
import { FakeChain } from "../support/fake-chain.ts";
import { transfer, wallet } from "../support/fake-logs.ts";
import { TOKEN, V3_POOL } from "../support/indexing.ts";

const chain = new FakeChain(1_764_547_200);
chain.mine({ logs: [transfer(wallet(1), wallet(2), 5n)] });
const { bloom } = chain.head;

test("a bloom may have what is in it", () => {
  expect(bloomTest([[TOKEN], [TOPICS.transfer]])(bloom)).toBe(true);
  expect(
    bloomTest([
      [V3_POOL, TOKEN],
      [TOPICS.v3Swap, TOPICS.transfer],
    ])(bloom),
  ).toBe(true);
});

test("and cannot have what is not", () => {
  expect(bloomTest([[V3_POOL], [TOPICS.transfer]])(bloom)).toBe(false);
  expect(bloomTest([[TOKEN], [TOPICS.v3Swap]])(bloom)).toBe(false);
});

test("what is no bloom says nothing against anything", () => {
  expect(bloomTest([[TOKEN]])(null)).toBe(true);
  expect(bloomTest([[TOKEN]])("0x00")).toBe(true);
});

test("a blank one is known as such", () => {
  expect(isBlank(`0x${"0".repeat(512)}`)).toBe(true);
  expect(isBlank(null)).toBe(true);
  expect(isBlank(bloom)).toBe(false);
});
