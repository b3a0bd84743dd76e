import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ENDPOINTS, type EndpointName } from "../../../src/api/endpoints.ts";
import { Slots } from "../../../src/fetch/resilience/slots.ts";

const NAMES = Object.keys(ENDPOINTS) as EndpointName[];
const [POOL, GAS, SUPPLY, BALANCE] = ["v4_pool", "gas_hourly", "supply", "balance"] as const;

const never = new AbortController().signal;

/** Requests that end when the test says so, by what they were called. */
function requests(concurrency: number): {
  readonly slots: Slots;
  /** In the order in which they began, without those that have ended. */
  readonly underWay: string[];
  readonly ask: (name: string, endpoint: EndpointName) => Promise<void>;
  readonly end: (name: string, error?: Error) => Promise<void>;
} {
  const slots = new Slots(concurrency);
  const underWay: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const settled = async (): Promise<void> => {
    for (let i = 0; i < 10; i += 1) await Promise.resolve();
  };
  return {
    slots,
    underWay,
    ask: async (name, endpoint) => {
      const sent = slots.run(
        endpoint,
        never,
        () =>
          new Promise<void>((resolve, reject) => {
            underWay.push(name);
            ends.set(name, (error) => {
              underWay.splice(underWay.indexOf(name), 1);
              if (error === undefined) resolve();
              else reject(error);
            });
          }),
      );
      sent.catch(() => {});
      await settled();
    },
    end: async (name, error) => {
      ends.get(name)?.(error);
      await settled();
    },
  };
}

const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${i + 1}`);

describe("slots for requests", () => {
  it("leave a quarter to other endpoints", async () => {
    const { underWay, ask } = requests(8);
    for (const name of named("pool", 9)) await ask(name, POOL);
    expect(underWay).toEqual(named("pool", 6));
    await ask("gas1", GAS);
    expect(underWay.at(-1)).toBe("gas1");
  });

  it("have one left for an endpoint that has none under way, however many others hang", async () => {
    const { underWay, ask, end } = requests(8);
    for (const name of named("pool", 9)) await ask(name, POOL);
    for (const name of named("gas", 9)) await ask(name, GAS);
    expect(underWay).toEqual([...named("pool", 6), "gas1"]);
    for (const name of named("supply", 3)) await ask(name, SUPPLY);
    expect(underWay.slice(7)).toEqual(["supply1"]);
    // One after the other, since the others still hang.
    await end("supply1");
    expect(underWay.slice(7)).toEqual(["supply2"]);
    await ask("balance1", BALANCE);
    await end("supply2");
    await end("supply3");
    expect(underWay.slice(7)).toEqual(["balance1"]);
  });

  it("go to the endpoint with the fewest under way", async () => {
    const { underWay, ask, end } = requests(8);
    for (const name of named("pool", 9)) await ask(name, POOL);
    for (const name of named("gas", 9)) await ask(name, GAS);
    for (const name of named("pool", 3)) await end(name);
    expect(underWay).toEqual(["pool4", "pool5", "pool6", ...named("gas", 3), "pool7"]);
  });

  it.each([1, 2, 3, 4, 8])(
    "of %i come to every endpoint in turn, though others ask for more than there are",
    async (concurrency) => {
      const { underWay, ask, end } = requests(concurrency);
      const busy = NAMES.slice(0, concurrency + 2);
      let asked = 0;
      const more = async (endpoint: EndpointName): Promise<void> => {
        asked += 1;
        await ask(`${endpoint} ${asked}`, endpoint);
      };
      for (let i = 0; i < 3; i += 1) for (const endpoint of busy) await more(endpoint);
      const idle = new Map(busy.map((endpoint) => [endpoint, 0]));
      for (let ends = 0; ends < 100; ends += 1) {
        const [oldest = ""] = underWay;
        await end(oldest);
        for (const endpoint of busy) {
          const has = underWay.some((name) => name.startsWith(`${endpoint} `));
          idle.set(endpoint, has ? 0 : (idle.get(endpoint) ?? 0) + 1);
        }
        expect(Math.max(...idle.values())).toBeLessThanOrEqual(busy.length);
        for (const endpoint of busy) if (oldest.startsWith(`${endpoint} `)) await more(endpoint);
      }
    },
  );

  it("are one at least for an endpoint, however few there are", async () => {
    for (const [concurrency, most] of [
      [1, 1],
      [2, 1],
      [3, 2],
      [4, 3],
    ] as const) {
      const { underWay, ask } = requests(concurrency);
      for (const name of named("pool", 5)) await ask(name, POOL);
      expect(underWay).toHaveLength(most);
    }
  });

  it("are free again after a request that failed", async () => {
    const { underWay, ask, end } = requests(1);
    await ask("pool1", POOL);
    await ask("pool2", POOL);
    await end("pool1", new Error("no answer"));
    expect(underWay).toEqual(["pool2"]);
  });

  it("are waited for in a row, room for one among them", async () => {
    const { slots, underWay, ask, end } = requests(1);
    await ask("pool1", POOL);
    let isRoom = false;
    const room = slots.room(POOL, never).then(() => {
      isRoom = true;
    });
    await ask("pool2", POOL);
    expect(isRoom).toBe(false);
    await end("pool1");
    await room;
    expect(underWay).toEqual(["pool2"]);
  });

  it("are waited for no longer when the time of a round is over", async () => {
    const { slots, underWay, ask, end } = requests(1);
    await ask("pool1", POOL);
    const round = new AbortController();
    const seen: boolean[] = [];
    const waiting = [
      slots.room(POOL, round.signal),
      slots.run(POOL, round.signal, () => Promise.resolve(seen.push(round.signal.aborted))),
    ];
    await ask("pool2", POOL);
    round.abort();
    await Promise.all(waiting);
    expect(seen).toEqual([true]);
    expect(underWay).toEqual(["pool1"]);
    await end("pool1");
    expect(underWay).toEqual(["pool2"]);
    await ask("pool3", POOL);
    expect(underWay).toEqual(["pool2"]);
  });

  it("are never too many, keep the order of each endpoint, and come to all", async () => {
    const endpoint = fc.constantFrom(...NAMES.slice(0, 5));
    const step = fc.oneof(
      fc.record({ ask: endpoint }),
      fc.record({ end: fc.nat(), fails: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.array(step), async (most, steps) => {
        const { underWay, ask, end } = requests(most);
        const asked: string[] = [];
        const began: string[] = [];
        const note = (): void => {
          expect(underWay.length).toBeLessThanOrEqual(most);
          for (const name of underWay) if (!began.includes(name)) began.push(name);
        };
        const endOne = async (n: number, fails: boolean): Promise<void> => {
          const name = underWay[n % underWay.length];
          if (name !== undefined) await end(name, fails ? new Error("no answer") : undefined);
        };
        for (const one of steps) {
          if ("ask" in one) {
            asked.push(`${one.ask} ${asked.length}`);
            await ask(asked.at(-1) ?? "", one.ask);
          } else await endOne(one.end, one.fails);
          note();
        }
        while (underWay.length > 0) {
          await endOne(0, false);
          note();
        }
        for (const name of NAMES) {
          const own = (list: readonly string[]): string[] =>
            list.filter((each) => each.startsWith(`${name} `));
          expect(own(began)).toEqual(own(asked));
        }
      }),
    );
  });
});
