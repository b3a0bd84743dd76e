import type { IncomingMessage, ServerResponse } from "node:http";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { MOST_EXTRAS } from "../../../src/fetch/bad-ids/bad-ids.ts";
import { propertyRuns } from "../../support/tier.ts";
import { json } from "../fault-server.ts";
import { asked, chainOf, pool, pools, records, type Served, serve } from "../pools.ts";

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Spoil = (response: ServerResponse) => void;

const refuse: Spoil = (response) => json(response, { error: "no such pool" }, 400);

/** A service that spoils every answer in which a bad pool is asked for. */
async function spoiling(bad: ReadonlySet<number>, spoil: Spoil = refuse): Promise<Served> {
  const served = await serve((request, response) => {
    if (asked(request).some((n) => bad.has(n))) spoil(response);
    else json(response, records(request));
  });
  closing.push(served.close);
  return served;
}

/** The requests of the last round: for each how many ids it asked for. */
async function sizes(served: Served, count: number): Promise<number[]> {
  const before = served.server.requests.length;
  await served.round(pools(count));
  return served.server.requests.slice(before).map(({ path: url }) => asked({ url }).length);
}

const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const SAYS = "refused: answered 400: no such pool";

describe("a batch with a bad id for which the round has no time", () => {
  it("says of no good id that it is bad, and comes to an end in the next rounds", async () => {
    for (let sent = 1; sent <= 9; sent++) {
      for (const bad of [0, 7, 19]) {
        let end = new AbortController();
        let left = Number.POSITIVE_INFINITY;
        const served = await serve((request, response) => {
          left -= 1;
          if (left < 0) setImmediate(() => end.abort());
          else if (asked(request).includes(bad)) refuse(response);
          else json(response, records(request));
        });
        closing.push(served.close);
        left = sent;
        for (const told of await served.round(pools(20), end.signal)) {
          if (typeof told === "string" && told !== SAYS) expect(told).toMatch(/^out_of_time: /);
        }
        expect(served.source.plan(pools(20))).toHaveLength(1);
        end = new AbortController();
        left = Number.POSITIVE_INFINITY;
        const seen = await served.round(pools(20));
        expect(seen).toEqual(range(20).map((n) => (n === bad ? SAYS : n)));
      }
    }
  });

  it("is asked for its suspects at once in the next round, each alone", async () => {
    let end = new AbortController();
    let left = 3;
    const served = await serve((request, response) => {
      left -= 1;
      if (left < 0) setImmediate(() => end.abort());
      else if (asked(request).includes(7)) refuse(response);
      else json(response, records(request));
    });
    closing.push(served.close);
    // The whole, its halves, and no more.
    await served.round(pools(20), end.signal);
    end = new AbortController();
    left = Number.POSITIVE_INFINITY;
    // The good half, and ten ids side by side: nothing follows on anything.
    expect(await sizes(served, 20)).toEqual([10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    expect(await sizes(served, 20)).toEqual([19, 1]);
  });
});

describe("a batch with a bad id", () => {
  it.each<[string, Spoil, string]>([
    ["400", refuse, SAYS],
    ["404", (r) => json(r, { error: "gone" }, 404), "refused: answered 404: gone"],
    ["422", (r) => json(r, {}, 422), "refused: answered 422: {}"],
    ["414", (r) => json(r, { error: "long" }, 414), "refused: answered 414: long"],
    ["500", (r) => json(r, { error: "bug" }, 500), "refused: answered 500: bug"],
    ["an error object", (r) => json(r, { error: "x" }), "refused: no list in the answer: x"],
    ["no JSON", (r) => r.end("[{"), "refused: the answer is not JSON: [{"],
    [
      "too much",
      (r) => r.writeHead(200, { "content-length": 50_000_000 }).write("["),
      "refused: the answer is larger than 16 MB",
    ],
  ])(
    "answered with %s has 19 good answers, and the service's words for one",
    async (_, spoil, says) => {
      for (const bad of [0, 7, 19]) {
        const served = await spoiling(new Set([bad]), spoil);
        expect(await served.round(pools(20))).toEqual(range(20).map((n) => (n === bad ? says : n)));
        expect(served.server.requests.length).toBeLessThanOrEqual(11);
      }
    },
  );

  it("stays whole from then on, the bad id is asked alone", async () => {
    const bad = new Set([7]);
    const served = await spoiling(bad);
    await served.round(pools(20));
    expect(new Set(await sizes(served, 20))).toEqual(new Set([1, 19]));
    expect((await served.round(pools(20)))[7]).toBe(SAYS);
    bad.clear();
    expect(await served.round(pools(20))).toEqual(range(20));
    expect(await sizes(served, 20)).toEqual([20]);
  });

  it("is tried with all its ids again when the bad one was not asked for an hour", async () => {
    const served = await spoiling(new Set([7]));
    await served.round(pools(20));
    served.advance(3_600_000);
    expect((await sizes(served, 20))[0]).toBe(20);
    expect((await served.round(pools(20)))[6]).toBe(6);
  });

  it("keeps to what a stop leaves it", async () => {
    const served = await serve((_, response) => refuse(response));
    closing.push(served.close);
    const [request] = served.source.plan(pools(20));
    const abort = new AbortController();
    const answers = served.source.fetch(request!, abort.signal);
    abort.abort();
    expect(new Set((await answers).map((a) => a.status))).toEqual(new Set(["failed"]));
    expect(served.server.requests.length).toBeLessThanOrEqual(1);
  });
});

describe("an endpoint that refuses everything", () => {
  const whole = "server_error: every part of a request was refused: answered 400: no such pool";

  it("is not asked further once both halves failed, and is told as trouble of the source", async () => {
    const served = await spoiling(new Set(range(400)));
    expect(new Set(await served.round(pools(400)))).toEqual(new Set([whole]));
    // Twenty batches, and one of them in two halves.
    expect(served.server.requests).toHaveLength(22);
    expect(await sizes(served, 400)).toHaveLength(22);
  });

  it("is tried again in every tenth round at last, and answered when it answers again", async () => {
    const bad = new Set([0, 1, 2]);
    const served = await spoiling(bad);
    const extras: number[] = [];
    for (let i = 0; i < 25; i++) extras.push((await sizes(served, 3)).length - 1);
    expect(extras.join("")).toMatch(/^2222(0{9}2)+0*$/);
    bad.clear();
    expect(await served.round(pools(3))).toEqual([0, 1, 2]);
  });

  it("leaves other chains their answers, and their bad ids found", async () => {
    const served = await serve((request, response) => {
      if (chainOf(request) === 137 || asked(request).includes(3)) refuse(response);
      else json(response, records(request));
    });
    closing.push(served.close);
    const seen = await served.round([...pools(40, 137), ...pools(20)]);
    expect(new Set(seen.slice(0, 40))).toEqual(new Set([whole]));
    expect(seen.slice(40)).toEqual(range(20).map((n) => (n === 3 ? SAYS : n)));
  });

  it("says of one id what the service says", async () => {
    const served = await spoiling(new Set([0]));
    expect(await served.round(pools(1))).toEqual([SAYS]);
    expect(served.server.requests).toHaveLength(1);
  });

  it("that answers no list is malformed, as before", async () => {
    const served = await spoiling(new Set(range(20)), (r) => r.end("<p>Back soon"));
    expect(new Set(await served.round(pools(20)))).toEqual(
      new Set(["malformed: the answer is not JSON: Back soon"]),
    );
  });
});

describe("several bad ids", () => {
  it("in both halves, which look like a bad endpoint, are found in the next rounds", async () => {
    for (const bad of [[0, 19], [0, 1, 2, 10, 15, 19], range(20).slice(5)]) {
      const served = await spoiling(new Set(bad));
      const firstGood = range(20).find((n) => !bad.includes(n)) ?? 20;
      const rounds = firstGood + 2;
      let seen: unknown[] = [];
      for (let i = 0; i < rounds; i++) {
        const before = served.server.requests.length;
        seen = await served.round(pools(20));
        expect(served.server.requests.length - before).toBeLessThanOrEqual(1 + MOST_EXTRAS);
      }
      expect(seen).toEqual(range(20).map((n) => (bad.includes(n) ? SAYS : n)));
    }
  });

  it("in many batches are found round by round within the bound", async () => {
    const bad = new Set(range(20).map((batch) => batch * 20 + (batch % 20)));
    const served = await spoiling(bad);
    for (let i = 0; i < 10; i++) {
      expect((await sizes(served, 400)).length).toBeLessThanOrEqual(20 + MOST_EXTRAS);
    }
    const wanted = range(400).map((n) => (bad.has(n) ? SAYS : n));
    expect(await served.round(pools(400))).toEqual(wanted);
  });

  it("that are too many to be asked alone each round take turns", async () => {
    const bad = new Set(range(100).filter((n) => n % 4 === 0));
    const served = await spoiling(bad);
    for (let i = 0; i < 20; i++) await served.round(pools(100));
    const before = served.server.requests.length;
    for (let i = 0; i < 2; i++) {
      const seen = await served.round(pools(100));
      expect(seen).toEqual(range(100).map((n) => (bad.has(n) ? SAYS : n)));
    }
    const alone = served.server.requests.slice(before).flatMap(({ path: url }) => {
      const ids = asked({ url });
      return ids.length === 1 ? ids : [];
    });
    expect(alone.length).toBeLessThanOrEqual(40);
    expect(new Set(alone)).toEqual(bad);
  });
});

describe("whatever fails", () => {
  /** What may become of a request that asks for these pools. */
  function fault(request: IncomingMessage, response: ServerResponse, kind: number): void {
    const good = records(request);
    if (kind === 0) request.socket.resetAndDestroy();
    else if (kind === 1) json(response, {}, 503);
    else if (kind === 2) json(response, { error: "x" }, 400);
    else if (kind === 3) json(response, {}, 500);
    else if (kind === 4) response.end("[{");
    else if (kind === 5) json(response, { error: "x" });
    else if (kind === 6) json(response.setHeader("retry-after", "0"), {}, 429);
    else if (kind === 7) json(response, [...good.toReversed(), { pool_id: "0x1" }, null]);
    else json(response, good);
  }

  it("no value is wrong, batches without a fault are whole, and requests keep the bound", async () => {
    const faulty = fc.array(fc.nat(12), { minLength: 30, maxLength: 200 });
    const poor = fc.uniqueArray(fc.nat(119), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(faulty, poor, async (kinds, bad) => {
        let next = 0;
        let faults = true;
        const touched = new Set<number>();
        const served = await serve((request, response) => {
          const ids = asked(request);
          const kind = faults ? (kinds[next++ % kinds.length] ?? 12) : 12;
          if (ids.some((n) => bad.includes(n))) refuse(response);
          else fault(request, response, kind);
          if (kind < 7 || ids.some((n) => bad.includes(n))) for (const n of ids) touched.add(n);
        });
        try {
          for (let i = 0; i < 3; i++) {
            touched.clear();
            const before = served.server.requests.length;
            const seen = await served.round(pools(120));
            const requests = served.server.requests.length - before;
            // Six batches, each tried three times at most.
            expect(requests).toBeLessThanOrEqual(18 + MOST_EXTRAS);
            for (const [n, value] of seen.entries()) {
              if (typeof value === "number") expect(value).toBe(n);
              if (bad.includes(n)) expect(value).toMatch(/^\w+: /);
              else if (!touched.has(n)) expect(value).toBe(n);
            }
          }
          // When only the bad ids are left of the faults, all others are answered.
          faults = false;
          served.advance(60_000);
          let last: unknown[] = [];
          for (let i = 0; i < 8; i++) last = await served.round(pools(120));
          expect(last).toEqual(range(120).map((n) => (bad.includes(n) ? SAYS : n)));
        } finally {
          await served.close();
        }
      }),
      { numRuns: propertyRuns(25) },
    );
  });

  it("other requests of the round are answered", async () => {
    const served = await serve((request, response) => {
      if (asked(request).includes(5)) request.socket.resetAndDestroy();
      else json(response, records(request));
    });
    closing.push(served.close);
    for (let i = 0; i < 10; i++) {
      const seen = await served.round([...pools(40), pool(1, 137)]);
      expect(seen.slice(20)).toEqual([...range(40).slice(20), 1]);
    }
  });
});

describe("an outage that is over", () => {
  it("holds nothing against the ids that were refused in it: all are answered in the first round", async () => {
    const bad = new Set(range(100).filter((n) => n % 2 === 0));
    const served = await spoiling(bad);
    for (let i = 0; i < 12; i++) {
      await served.round(pools(100));
      served.advance(60_000);
    }
    for (const n of range(100)) bad.add(n);
    for (let i = 0; i < 30; i++) {
      await served.round(pools(100));
      served.advance(60_000);
    }
    bad.clear();
    expect(await served.round(pools(100))).toEqual(range(100));
    expect(await sizes(served, 100)).toEqual([20, 20, 20, 20, 20]);
  });

  it("leaves an id that is bad all the same to be found at once, though all were refused for long", async () => {
    const bad = new Set(range(20));
    const served = await spoiling(bad);
    for (let i = 0; i < 40; i++) {
      await served.round(pools(40));
      served.advance(60_000);
      // The other batch is refused as well after a while.
      if (i === 5) for (const n of range(40)) bad.add(n);
    }
    bad.clear();
    bad.add(7);
    await served.round(pools(40));
    expect(await served.round(pools(40))).toEqual(range(40).map((n) => (n === 7 ? SAYS : n)));
  });
});
