import { describe, expect, it } from "vitest";
import { type ErrorKind, kindOf } from "../../../src/chain/rpc/error-kind.ts";

/** What providers and clients say, in their own words. */
const CASES: readonly [ErrorKind, string, number | null, string, number?][] = [
  ["too_much", "eth_getLogs", -32_005, "query returned more than 10000 results"],
  ["too_much", "eth_getLogs", -32_005, "limit exceeded"],
  [
    "too_much",
    "eth_getLogs",
    -32_600,
    "You can make eth_getLogs requests with up to a 10 block range",
  ],
  ["too_much", "eth_getLogs", -32_602, "Log response size exceeded. this block range should work"],
  ["too_much", "eth_getLogs", -32_614, "eth_getLogs is limited to a 10,000 range"],
  ["too_much", "eth_getLogs", -32_000, "block range is too wide"],
  ["too_much", "eth_getLogs", -32_000, "query timeout exceeded"],
  ["too_much", "eth_getLogs", -32_603, "request timed out"],
  ["too_much", "eth_getLogs", -32_701, "exceed maximum block range: 5000"],
  ["too_much", "eth_call", null, "Request Entity Too Large", 413],
  ["too_much", "eth_call", -32_000, "out of gas: gas required exceeds allowance"],
  ["rate_limited", "eth_getLogs", -32_005, "daily request count exceeded, request rate limited"],
  ["rate_limited", "eth_call", -32_005, "limit exceeded"],
  ["rate_limited", "eth_call", -32_016, "over rate limit"],
  ["rate_limited", "eth_call", 429, "Your app has exceeded its compute units per second capacity"],
  ["rate_limited", "eth_call", null, "slow down", 429],
  [
    "no_method",
    "eth_feeHistory",
    -32_601,
    "the method eth_feeHistory does not exist/is not available",
  ],
  ["no_method", "eth_feeHistory", -32_000, "Unsupported method: eth_feeHistory"],
  ["no_state", "eth_call", -32_000, "missing trie node 4f9a (path ) state 0x12 is not available"],
  ["no_state", "eth_call", -32_000, "historical state 12 is not available"],
  ["no_state", "eth_call", -32_000, "old data not available due to pruning"],
  ["no_state", "eth_getBalance", -32_000, "World state unavailable"],
  ["no_block", "eth_call", -32_000, "header not found"],
  ["no_block", "eth_call", -32_001, "Resource not found"],
  ["no_block", "eth_call", -32_000, "hash 12ab is not currently canonical"],
  ["no_block", "eth_getLogs", -32_000, "unknown block"],
  [
    "no_block",
    "eth_call",
    -32_602,
    "BlockOutOfRangeError: block height is 0 but requested was 153",
  ],
  ["reverted", "eth_call", 3, "execution reverted: ERC721: invalid token ID"],
  ["reverted", "eth_call", -32_000, "execution reverted"],
  ["reverted", "eth_call", -32_015, "VM execution error."],
  ["unauthorized", "eth_call", null, "invalid key", 401],
  ["unreachable", "eth_call", null, "bad gateway", 502],
  ["failed", "eth_call", -32_603, "Internal error"],
];

describe("what a node says", () => {
  it.each(CASES)(
    "means %s where %s fails with %s %j",
    (kind, method, code, message, status = 200) => {
      expect(kindOf({ method, status, code, message })).toBe(kind);
    },
  );
});
