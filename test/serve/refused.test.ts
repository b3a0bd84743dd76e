import { afterEach, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import { systemClock } from "../../src/base/clock.ts";
import { Secret } from "../../src/base/text.ts";
import { createHttpSource } from "../../src/fetch/http.ts";
import type { Ask } from "../../src/model/index.ts";
import { Refusal } from "../../src/serve/refusal.ts";
import { DEMO_KEY, type Service, startService } from "../../src/serve/server.ts";
import { createMarket } from "../../src/simulator/market.ts";
import { DEMO_SEED } from "../../src/simulator/units.ts";
import { askerOf, fault } from "../simulator/asking.ts";

const COUNTED = `0x${"c".repeat(40)}`;
const READ = `0x${"d".repeat(40)}`;
const WORDS = `holders of ${READ}: 41% read, 2 h left`;

let service: Service;
afterEach(() => service.close());

async function serve(refusal: () => Error): Promise<void> {
  const market = createMarket({ seed: DEMO_SEED, start: Date.now() });
  const world = {
    ...market,
    holderCount: (chainId: number, token: string) => {
      if (token.toLowerCase() === READ) throw refusal();
      return { token_address: token, chain_id: chainId, holder_count: 7 };
    },
  };
  service = await startService({ world, clock: systemClock(), apiKey: DEMO_KEY });
}

const { ask, records } = askerOf(() => service.baseUrl);
const path = (...tokens: readonly string[]): string =>
  `${ENDPOINTS.holder_count.path}?chain_id=1${tokens.map((token) => `&token=${token}`).join("")}`;

it("a token of several that cannot be answered is named with its reason, and the others are answered", async () => {
  await serve(() => new Refusal("not_indexed", WORDS));
  expect(await records(path(COUNTED, READ))).toEqual([
    { token_address: COUNTED, chain_id: 1, holder_count: 7 },
    {
      token_address: READ,
      chain_id: 1,
      holder_count: null,
      error: { code: "not_indexed", message: WORDS },
    },
  ]);
  expect(fault(await ask(path(READ)))).toBe("404 not_indexed");
  expect(fault(await ask(path(READ, READ.toUpperCase().replace("X", "x"))))).toBe(
    "404 not_indexed",
  );
});

it("a chain that does not answer is refused as a whole", async () => {
  await serve(() => new Refusal("chain_unavailable", "no node answers"));
  expect(fault(await ask(path(COUNTED, READ)))).toBe("503 chain_unavailable");
});

it("the client has each token's answer, or why there is none, from one request", async () => {
  await serve(() => new Refusal("not_countable", WORDS));
  const source = createHttpSource({
    baseUrl: service.baseUrl,
    apiKey: new Secret(DEMO_KEY),
    timeoutMs: 5_000,
    concurrency: 1,
    requestsPerSecond: 1_000,
  });
  const asks = [COUNTED, READ].map(
    (id): Ask => ({ key: id, record: "holder_count", chainId: 1, id }),
  );
  const [request] = source.plan(asks);
  if (request === undefined) throw new Error("nothing is asked");
  const [counted, read] = await source.fetch(request, new AbortController().signal);
  await source.close();
  expect(counted).toMatchObject({ status: "ok", records: [{ holder_count: 7 }] });
  expect(read).toMatchObject({ status: "failed", failure: { reason: "refused" } });
  expect(JSON.stringify(read)).toContain("41% read, 2 h left");
  expect(service.requests()).toBe(1);
});
