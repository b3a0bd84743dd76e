import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Secret } from "../../src/base/text.ts";
import { createHttpSource } from "../../src/fetch/http.ts";
import { MINUTE, START, World } from "../support/world.ts";

const TOKEN = `0x${"1f".repeat(20)}`;
const MOST = (2n ** 256n - 1n).toString();
const LESS = (2n ** 256n - 2n).toString();
const LEAST = (-(2n ** 255n)).toString();
const BIG = (10n ** 78n).toString();
const TENTH_LESS = (9n * 10n ** 77n).toString();
const NOT_QUITE = (9n * 10n ** 77n + 1n).toString();
const PLUS_ONE = (10n ** 78n + 1n).toString();

/** The bodies as the service sends them: digits of text that no program has read as a number. */
const BODIES = {
  supply: (value: string) =>
    `[{"token_address":"${TOKEN}","chain_id":1,"total_supply":"${value}"}]`,
  price: (value: string) =>
    `{"token_address":"${TOKEN}","chain_id":1,"current_price":{"usd":${value}},"market_data":{"price_change_24h":${value}}}`,
  tip: (value: string) =>
    `[{"hour":"${new Date(START - 60 * MINUTE).toISOString()}","chain_id":1,"block_count":300,"avg_priority_fee_top10_threshold":"${value}"}]`,
  utilization: (value: string) =>
    `[{"hour":"${new Date(START - 60 * MINUTE).toISOString()}","chain_id":1,"block_count":300,"utilization":${value}}]`,
} as const;

const WATCHES: Readonly<Record<keyof typeof BODIES, string>> = {
  supply: `{kind: token_supply, chain: 1, token: "${TOKEN}", decimals: 18}`,
  price: `{kind: token_price, chain: 1, token: "${TOKEN}"}`,
  tip: "{kind: gas, chain: 1}",
  utilization: "{kind: gas, chain: 1}",
};

let body = "";
const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(body);
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** What a rule tells of bodies that come one a round: kind and all digits of the value and the one before. */
async function told(
  of: keyof typeof BODIES,
  when: string,
  values: readonly string[],
): Promise<readonly string[]> {
  const source = createHttpSource({
    baseUrl: url,
    legacyBaseUrl: url,
    apiKey: new Secret("key"),
    timeoutMs: 2_000,
    concurrency: 2,
    requestsPerSecond: 1_000,
  });
  const yaml = `
rules:
  - name: exact
    watch: ${WATCHES[of]}
    when: ${when}
    note: "{{ exact.value }} after {{ exact.base }}"
`;
  const world = await World.create(yaml, { source });
  for (const value of values) {
    body = BODIES[of](value);
    await world.minutes(1);
  }
  await world.stop();
  await source.close();
  return world.told
    .filter(({ kind }) => kind !== "started")
    .map(({ minute, kind, notice }) => `${minute} ${kind} ${notice.note}`);
}

describe("from the text of an answer to the note of its notice, the last digit counts:", () => {
  it.each<[string, keyof typeof BODIES, string, readonly string[], readonly string[]]>([
    [
      "2^256 − 1 against 2^256 − 2",
      "supply",
      `{metric: total_supply, above: ${LESS} raw}`,
      [LESS, MOST, LESS],
      [`2 fired ${MOST} after ${LESS}`, `3 resolved ${LESS} after ${MOST}`],
    ],
    [
      "a raw unit of 10^78, of 18 decimals",
      "supply",
      "{metric: total_supply, rises: 1 raw, since: last}",
      [BIG, BIG, PLUS_ONE],
      [`3 fired ${PLUS_ONE} after ${BIG}`],
    ],
    [
      "10% of 79 digits",
      "supply",
      "{metric: total_supply, falls: 10%, since: last}",
      [BIG, BIG, NOT_QUITE, NOT_QUITE],
      [],
    ],
    [
      "10% of 79 digits, reached",
      "supply",
      "{metric: total_supply, falls: 10%, since: last}",
      [BIG, BIG, TENTH_LESS],
      [`3 fired ${TENTH_LESS} after ${BIG}`],
    ],
    [
      "−(2^255)",
      "price",
      `{metric: price_change_24h, at_most: ${LEAST} usd}`,
      [`${LEAST.slice(0, -1)}7`, LEAST],
      [`2 fired ${LEAST} after ${LEAST.slice(0, -1)}7`],
    ],
    [
      "0.000001",
      "price",
      "{metric: price_usd, above: 0.000001 usd}",
      ["0.000001", "0.0000010000000000000000000001"],
      ["2 fired 0.0000010000000000000000000001 after 0.000001"],
    ],
    [
      "1e-18",
      "price",
      "{metric: price_usd, below: 1e-18 usd}",
      ["1e-18", "9.99999999999999999999e-19"],
      ["2 fired 0.000000000000000000999999999999999999999 after 0.000000000000000001"],
    ],
    [
      "33.333333% from 3",
      "price",
      "{metric: price_usd, rises: 33.333333%, since: last}",
      ["3", "3", "3.9999999899999999999999", "3", "3", "3.99999999"],
      ["6 fired 3.99999999 after 3"],
    ],
    [
      "any percentage from zero",
      "price",
      "{metric: price_change_24h, rises: 1000%, since: last}",
      ["0", "0", "1e-30"],
      ["3 fired 0.000000000000000000000000000001 after 0"],
    ],
    [
      "10% of a negative value",
      "price",
      "{metric: price_change_24h, falls: 10%, since: last}",
      ["-100", "-100", "-109.99999999999999999999", "-100", "-100", "-110"],
      ["6 fired -110 after -100"],
    ],
    [
      "0.1 gwei",
      "tip",
      "{metric: tip_top10, above: 0.1 gwei}",
      ["100000000", "100000001"],
      ["2 fired 100000001 after"],
    ],
    [
      "33.333333% of a share",
      "utilization",
      "{metric: utilization, above: 33.333333%}",
      ["0.33333333", "0.33333333000000000000001"],
      ["2 fired 0.33333333000000000000001 after"],
    ],
  ])("%s", async (_name, of, when, values, expected) => {
    expect(await told(of, when, values)).toEqual(expected);
  });
});
