import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import type { Failure } from "../../src/model.ts";
import { Breaker } from "../../src/source/breaker.ts";
import { json } from "./fault-server.ts";
import { asked, chainOf, pool, pools, records, type Served, serve } from "./pools.ts";

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Fault = (request: IncomingMessage, response: ServerResponse) => void;

interface Ailing extends Served {
  /** Which requests fail; a test changes it. */
  fails: (request: IncomingMessage) => boolean;
  /** One round a minute: what came of it, and how many requests it took. */
  readonly minute: () => Promise<{ readonly seen: unknown[]; readonly requests: number }>;
}

async function ailing(fault: Fault, count = 240, timeoutMs = 5_000): Promise<Ailing> {
  const served = await serve(
    (request, response) => {
      if (ill.fails(request)) fault(request, response);
      else json(response, records(request));
    },
    { timeoutMs },
  );
  const ill: Ailing = {
    ...served,
    fails: () => false,
    minute: async () => {
      served.advance(60_000);
      const before = served.server.requests.length;
      const seen = await served.round(pools(count));
      return { seen, requests: served.server.requests.length - before };
    },
  };
  closing.push(served.close);
  return ill;
}

const good = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe("an endpoint that is down", () => {
  it.each<[string, Fault, RegExp]>([
    ["503", (_, r) => json(r, { error: "down" }, 503), /^server_error: .*: answered 503: down$/],
    ["a reset", ({ socket }) => socket.resetAndDestroy(), /^network: .*: connection reset$/],
    ["silence", () => {}, /^timeout: .*: timed out after 0.1 s$/],
    [
      "429",
      (_, r) => json(r.setHeader("retry-after", "0"), {}, 429),
      /^rate_limited: .*: answered 429: \{\}$/,
    ],
  ])(
    "with %s is asked by two requests a round, and answers at once when it is back",
    async (_, fault, says) => {
      const ill = await ailing(fault, 240, says.source.includes("timed") ? 100 : 5_000);
      ill.fails = () => true;
      expect((await ill.minute()).requests).toBe(36);
      await ill.minute();
      for (let i = 0; i < 5; i++) {
        const { seen, requests } = await ill.minute();
        expect(requests).toBe(2);
        for (const told of seen.slice(-20)) expect(told).toMatch(says);
        expect(String(seen.at(-1))).toContain("not asked for now, after: ");
      }
      ill.fails = () => false;
      expect(await ill.minute()).toEqual({ seen: good(240), requests: 12 });
    },
  );

  it.each<[string, Fault, { timeoutMs: number; retryMs: number }, number]>([
    [
      "503, waiting for a second try",
      (_, r) => json(r, {}, 503),
      { timeoutMs: 5_000, retryMs: 5_000 },
      3,
    ],
    ["silence, also to a second try", () => {}, { timeoutMs: 100, retryMs: 1 }, 6],
  ])("with %s when rounds end, is left alone from the third on", async (_, fault, times, sent) => {
    let failures = 0;
    let requests = 0;
    let end = new AbortController();
    const look = (): void => {
      if (failures === 3 && requests === sent) setImmediate(() => end.abort());
    };
    const served = await serve(
      (request, response) => {
        fault(request, response);
        requests += 1;
        look();
      },
      {
        ...times,
        onRequest: () => {
          failures += 1;
          look();
        },
      },
    );
    closing.push(served.close);
    const round = async (): Promise<unknown[]> => {
      end = new AbortController();
      failures = 0;
      requests = 0;
      return await served.round(pools(60), end.signal);
    };
    for (let i = 0; i < 2; i++) {
      for (const told of await round()) expect(told).toMatch(/^out_of_time: out of time after: /);
    }
    for (const told of await round()) expect(told).toContain("not asked for now, after: ");
    expect(requests).toBe(0);
  });

  it("is left alone for ten seconds at first, then longer", async () => {
    const ill = await ailing((_, r) => json(r, {}, 503), 20);
    ill.fails = () => true;
    for (let i = 0; i < 5; i++) await ill.minute();
    const asksAfter = async (ms: number): Promise<number> => {
      ill.advance(ms);
      const before = ill.server.requests.length;
      await ill.round(pools(20));
      return ill.server.requests.length - before;
    };
    expect(await asksAfter(9_999)).toBe(0);
    expect(await asksAfter(1)).toBe(1);
    expect(await asksAfter(19_999)).toBe(0);
    expect(await asksAfter(1)).toBe(1);
    for (let i = 0; i < 3; i++) expect(await asksAfter(45_000)).toBe(1);
  });

  it("takes no other endpoint or chain with it", async () => {
    const ill = await ailing((_, r) => json(r, {}, 503));
    ill.fails = (request) => chainOf(request) === 137;
    for (let i = 0; i < 4; i++) {
      ill.advance(60_000);
      const seen = await ill.round([...pools(200, 137), pool(7, 1)]);
      expect(seen.at(-1)).toBe(7);
    }
  });
});

describe("a few of many batches that fail", () => {
  it("take no other batch with them, in any round and order", async () => {
    for (const bad of [range(0, 10), range(1, 11), range(2, 12)]) {
      const ill = await ailing((_, r) => json(r, {}, 503));
      ill.fails = (request) => bad.includes(Math.floor((asked(request)[0] ?? 0) / 20));
      const isGood = (n: number): boolean => !bad.includes(Math.floor(n / 20));
      for (let i = 0; i < 4; i++) {
        const { seen } = await ill.minute();
        expect(seen.filter((_, n) => isGood(n))).toEqual(good(240).filter(isGood));
      }
    }
  });

  it("do not keep a whole endpoint shut when it is back without them", async () => {
    const ill = await ailing((_, r) => json(r, {}, 503));
    ill.fails = () => true;
    for (let i = 0; i < 4; i++) await ill.minute();
    // The first batch, which is the first to try, stays as it is.
    ill.fails = (request) => asked(request).includes(0);
    expect((await ill.minute()).seen.slice(20)).toEqual(good(240).slice(20));
  });
});

describe("the breaker", () => {
  const failure: Failure = { reason: "timeout", detail: "timed out" };
  const round = (): AbortSignal => new AbortController().signal;

  /** Open since the time 0. */
  function opened(): Breaker {
    const breaker = new Breaker();
    const [first, second] = [round(), round()];
    for (let i = 0; i < 4; i++) breaker.leave("pass", { failure }, first, 0);
    breaker.leave("pass", { failure }, second, 0);
    return breaker;
  }

  it("opens on the fifth failure in a row that is of another round than the first", () => {
    const waiting = { reason: "timeout", detail: "not asked for now, after: timed out" };
    expect(opened().enter(round(), 9_999)).toEqual(waiting);
    expect(opened().refusal(9_999)).toEqual(waiting);
    const same = new Breaker();
    const signal = round();
    for (let i = 0; i < 50; i++) same.leave("pass", { failure }, signal, 0);
    expect(same.enter(signal, 0)).toBe("pass");
    const mixed = new Breaker();
    for (let i = 0; i < 50; i++) {
      mixed.leave("pass", i % 5 === 4 ? "alive" : { failure }, round(), 0);
    }
    expect(mixed.enter(signal, 0)).toBe("pass");
  });

  it("lets what waits for the probe share its luck", async () => {
    const breaker = opened();
    const signal = round();
    expect(breaker.enter(signal, 10_000)).toBe("probe");
    const waiting = [1, 2, 3].map(() => Promise.resolve(breaker.enter(signal, 10_000)));
    breaker.leave("probe", "alive", signal, 10_001);
    expect(await Promise.all(waiting)).toEqual(["pass", "pass", "pass"]);
    expect(breaker.isIdle).toBe(true);
  });

  it("hands the probe on when its round was over too soon", async () => {
    const breaker = opened();
    const [over, signal] = [round(), round()];
    expect(breaker.enter(over, 10_000)).toBe("probe");
    const next = breaker.enter(signal, 10_000);
    breaker.leave("probe", "unknown", over, 10_001);
    expect(await next).toBe("probe");
    breaker.leave("probe", "unknown", signal, 10_002);
    expect(breaker.enter(signal, 10_003)).toBe("probe");
  });

  it("lets go what waits when its round is over", async () => {
    const breaker = opened();
    const abort = new AbortController();
    expect(breaker.enter(round(), 10_000)).toBe("probe");
    const waiting = breaker.enter(abort.signal, 10_000);
    abort.abort();
    expect(await waiting).toEqual({
      reason: "timeout",
      detail: "not asked for now, after: timed out",
    });
  });

  it("waits longer after a first probe that failed, whatever became of the second", async () => {
    const breaker = opened();
    const abort = new AbortController();
    const { signal } = abort;
    expect(breaker.enter(signal, 10_000)).toBe("probe");
    const second = breaker.enter(signal, 10_000);
    breaker.leave("probe", { failure }, signal, 11_000);
    expect(await second).toBe("probe");
    abort.abort();
    breaker.leave("probe", "unknown", signal, 12_000);
    const waiting = { reason: "timeout", detail: "not asked for now, after: timed out" };
    expect(breaker.enter(round(), 31_999)).toEqual(waiting);
    expect(breaker.enter(round(), 32_000)).toBe("probe");
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
