import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { Breaker } from "../../../src/fetch/resilience/breaker.ts";
import { Gate } from "../../../src/fetch/resilience/gate.ts";
import type { Ask, Failure } from "../../../src/model/index.ts";
import { Silence } from "../../support/silence.ts";
import { json } from "../fault-server.ts";
import { asked, chainOf, pool, pools, records, type Served, serve } from "../pools.ts";

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Fault = (request: IncomingMessage, response: ServerResponse) => void;

interface Ailing extends Served {
  /** Which requests fail; a test changes it. */
  fails: (request: IncomingMessage) => boolean;
  /** Whether requests that fail are not answered: they are over once all of them have arrived. */
  silent: boolean;
  /** One round a minute: what came of it, and how many requests it took. */
  readonly minute: () => Promise<{ readonly seen: unknown[]; readonly requests: number }>;
}

async function ailing(fault: Fault, count = 240): Promise<Ailing> {
  const silence = new Silence(() => ill.silent);
  const served = await serve(
    (request, response) => {
      if (!ill.fails(request)) return json(response, records(request));
      fault(request, response);
      if (ill.silent) silence.arrive();
    },
    { after: silence.after },
  );
  const ill: Ailing = {
    ...served,
    fails: () => false,
    silent: false,
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

const silent: Fault = () => {};

describe("an endpoint that is down", () => {
  it.each<[string, Fault, RegExp]>([
    ["503", (_, r) => json(r, { error: "down" }, 503), /^server_error: .*: answered 503: down$/],
    ["a reset", ({ socket }) => socket.resetAndDestroy(), /^network: .*: connection reset$/],
    ["silence", silent, /^timeout: .*: timed out after 5 s$/],
    [
      "429",
      (_, r) => json(r.setHeader("retry-after", "0"), {}, 429),
      /^rate_limited: .*: answered 429: \{\}$/,
    ],
  ])(
    "with %s is asked by two requests a round, and answers at once when it is back",
    async (_, fault, says) => {
      const ill = await ailing(fault);
      ill.fails = () => true;
      ill.silent = fault === silent;
      expect((await ill.minute()).requests).toBe(36);
      await ill.minute();
      for (let i = 0; i < 5; i++) {
        const { seen, requests } = await ill.minute();
        expect(requests).toBe(2);
        for (const told of seen.slice(-20)) expect(told).toMatch(says);
        expect(String(seen.at(-1))).toContain("not asked for now, after: ");
      }
      ill.fails = () => false;
      ill.silent = false;
      expect(await ill.minute()).toEqual({ seen: good(240), requests: 12 });
    },
  );

  it.each<[string, Fault, { timeoutMs: number; retryMs: number }, number, string]>([
    [
      "503, waiting for a second try",
      (_, r) => json(r, {}, 503),
      { timeoutMs: 5_000, retryMs: 5_000 },
      3,
      "server_error",
    ],
    ["silence, also to a second try", silent, { timeoutMs: 5_000, retryMs: 1 }, 6, "timeout"],
  ])(
    "with %s when rounds end, is left alone from the third on",
    async (_, fault, times, sent, reason) => {
      let failures = 0;
      let requests = 0;
      let end = new AbortController();
      const silence = new Silence(() => fault === silent);
      const look = (): void => {
        if (failures === 3 && requests === sent) setImmediate(() => end.abort());
      };
      const served = await serve(
        (request, response) => {
          fault(request, response);
          requests += 1;
          look();
          silence.arrive();
        },
        {
          ...times,
          after: silence.after,
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
      // Not that rounds were over, but why the endpoint is down.
      const own: Ask = { key: "endpoint:v4_pool", record: "endpoint", chainId: 0, id: "v4_pool" };
      const answers = await served.source.fetch(
        { record: "endpoint", endpoint: "verify_key", asks: [own], path: "" },
        end.signal,
      );
      expect(answers).toMatchObject([{ records: [{ up: false, failure_reason: reason }] }]);
    },
  );

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

describe("an endpoint that works", () => {
  it("is used again after an outage though an id in each batch trips it", async () => {
    let down = true;
    const ill = await ailing((request, response) => {
      const status = down ? 503 : 500;
      json(response, { error: request.url ?? "" }, status);
    }, 40);
    ill.fails = (request) => down || asked(request).some((n) => n === 7 || n === 27);
    for (let i = 0; i < 5; i++) await ill.minute();
    down = false;
    const { seen } = await ill.minute();
    const isGood = (n: number): boolean => n !== 7 && n !== 27;
    expect(seen.filter((_, n) => isGood(n))).toEqual(good(40).filter(isGood));
  });

  it.each<[string, Fault]>([
    ["refuses it at once", (_, r) => json(r, {}, 504)],
    ["never answers it", silent],
  ])("is asked for all others when it %s what one rule asks for all the time", async (_, fault) => {
    const ill = await ailing(fault, 0);
    ill.fails = (request) => asked(request).includes(99);
    for (let minute = 0; minute < 3; minute++) {
      for (let i = 0; i < 12; i++) {
        ill.advance(5_000);
        ill.silent = fault === silent;
        await ill.round([pool(99)]);
      }
      ill.silent = false;
      expect(await ill.round(pools(20))).toEqual(good(20));
    }
  });
});

describe("the breaker", () => {
  const failure: Failure = { reason: "timeout", detail: "timed out" };
  const waiting = { reason: "timeout", detail: "not asked for now, after: timed out" };
  const round = (): AbortSignal => new AbortController().signal;
  /** Those that have failed, in the order in which they did. */
  const BAD = ["a", "b", "c", "d", "e"] as const;

  /** Open since the time 0. */
  function opened(): Breaker {
    const breaker = new Breaker();
    const first = round();
    for (const key of BAD) {
      breaker.leave(key, "pass", { failure }, key === BAD.at(-1) ? round() : first, 0);
    }
    return breaker;
  }

  it("opens on the fifth failure in a row that is of another round than the first", () => {
    for (const key of BAD) {
      expect(opened().enter(key, round(), 9_999)).toEqual(waiting);
      expect(opened().refusal(key, 9_999)).toEqual(waiting);
    }
    const again = new Breaker();
    const first = round();
    for (let i = 0; i < 50; i++) again.leave("a", "pass", { failure }, first, 0);
    expect(again.enter("a", round(), 0)).toBe("pass");
    again.leave("a", "pass", { failure }, round(), 0);
    expect(again.enter("a", round(), 0)).toEqual(waiting);
    const mixed = new Breaker();
    for (let i = 0; i < 50; i++) {
      mixed.leave("a", "pass", i % 5 === 4 ? "alive" : { failure }, round(), 0);
    }
    expect(mixed.enter("a", round(), 0)).toBe("pass");
  });

  it("lets pass what has not failed since the last answer, and is closed by its answer", () => {
    const breaker = opened();
    expect(breaker.enter("f", round(), 1)).toBe("pass");
    expect(breaker.refusal("f", 1)).toBeNull();
    breaker.leave("f", "pass", { failure }, round(), 2);
    expect(breaker.enter("f", round(), 3)).toEqual(waiting);
    expect(breaker.enter("g", round(), 3)).toBe("pass");
    breaker.leave("g", "pass", "alive", round(), 4);
    expect(breaker.isIdle).toBe(true);
    for (const key of [...BAD, "f"]) expect(breaker.enter(key, round(), 5)).toBe("pass");
  });

  it("does not remember without end what has failed", () => {
    const breaker = opened();
    for (let i = 0; i < 20_000; i++) breaker.leave(`k${i}`, "pass", { failure }, round(), 0);
    expect(breaker.enter("never asked", round(), 1)).toEqual(waiting);
  });

  it("lets what waits for the probe share its luck", async () => {
    const breaker = opened();
    const signal = round();
    expect(breaker.enter("a", signal, 10_000)).toBe("probe");
    const others = ["b", "c", "d"].map((key) =>
      Promise.resolve(breaker.enter(key, signal, 10_000)),
    );
    breaker.leave("a", "probe", "alive", round(), 10_001);
    expect(await Promise.all(others)).toEqual(["pass", "pass", "pass"]);
    expect(breaker.isIdle).toBe(true);
  });

  it("hands the probe on when its round was over too soon", async () => {
    const breaker = opened();
    expect(breaker.enter("a", round(), 10_000)).toBe("probe");
    const next = breaker.enter("b", round(), 10_000);
    breaker.leave("a", "probe", "unknown", round(), 10_001);
    expect(await next).toBe("probe");
    breaker.leave("b", "probe", "unknown", round(), 10_002);
    expect(breaker.enter("a", round(), 10_003)).toBe("probe");
  });

  it("lets go what waits when its round is over", async () => {
    const breaker = opened();
    const abort = new AbortController();
    expect(breaker.enter("a", round(), 10_000)).toBe("probe");
    const next = breaker.enter("b", abort.signal, 10_000);
    abort.abort();
    expect(await next).toEqual(waiting);
  });

  it("waits longer after a first probe that failed, whatever became of the second", async () => {
    const breaker = opened();
    const abort = new AbortController();
    expect(breaker.enter("a", abort.signal, 10_000)).toBe("probe");
    const second = breaker.enter("b", abort.signal, 10_000);
    breaker.leave("a", "probe", { failure }, round(), 11_000);
    expect(await second).toBe("probe");
    abort.abort();
    breaker.leave("b", "probe", "unknown", round(), 12_000);
    expect(breaker.enter("c", round(), 31_999)).toEqual(waiting);
    expect(breaker.enter("c", round(), 32_000)).toBe("probe");
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

describe("breakers of several chains", () => {
  const trouble = { failure: { reason: "timeout", detail: "timed out" }, status: null } as const;
  let now = 0;

  /** All chains are asked in one round; those in `answers` answer. What came to be asked. */
  function round(gate: Gate, answers: readonly string[]): string[] {
    const { signal } = new AbortController();
    const sent: string[] = [];
    for (const chain of ["1", "137", "43114"]) {
      const asking = { endpoint: "v4_pool", part: chain, key: chain } as const;
      const pass = gate.enter(asking, signal);
      if (pass !== "pass" && pass !== "probe") continue;
      sent.push(chain);
      const ok = answers.includes(chain);
      gate.leave(asking, pass, ok ? { ok } : { ok, met: trouble }, signal);
    }
    return sent;
  }

  it("are tried in the same round, and what comes back is used by all of them at once", () => {
    const gate = new Gate(
      () => now,
      () => {},
    );
    // The third one begins to fail later, and is left alone until later.
    for (; now < 250_000; now += 15_000) round(gate, now < 100_000 ? ["43114"] : []);
    const rounds: string[][] = [];
    for (; rounds.filter((sent) => sent.length > 0).length < 4; now += 15_000) {
      rounds.push(round(gate, []));
    }
    expect(new Set(rounds.map((sent) => sent.length))).toEqual(new Set([0, 3]));
    // It is back: the round that finds out asks for everything.
    for (;;) {
      now += 15_000;
      const sent = round(gate, ["1", "137", "43114"]);
      if (sent.length === 0) continue;
      expect(sent).toEqual(["1", "137", "43114"]);
      return;
    }
  });

  it("that fail slowly are tried in the next minute all the same", () => {
    const gate = new Gate(
      () => now,
      () => {},
    );
    const asking = { endpoint: "v4_pool", part: "1", key: "1" } as const;
    const sent: boolean[] = [];
    for (let minute = 0; minute < 12; minute += 1) {
      const begun = now;
      const { signal } = new AbortController();
      const pass = gate.enter(asking, signal);
      sent.push(pass === "pass" || pass === "probe");
      // Half a minute of attempts that time out.
      now += 33_000;
      if (pass === "pass" || pass === "probe") {
        gate.leave(asking, pass, { ok: false, met: trouble }, signal);
      }
      now = begun + 60_000;
    }
    expect(sent).not.toContain(false);
  });
});
