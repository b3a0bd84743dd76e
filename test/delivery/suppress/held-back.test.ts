import fc from "fast-check";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import type { Channel } from "../../../src/channels/channel.ts";
import { type Delivery, type DeliveryParts, startDelivery } from "../../../src/delivery/deliver.ts";
import type { OnDeliveryEvent } from "../../../src/delivery/event.ts";
import { type MuteWindow, NO_CHANGE, type Notice, type Silence } from "../../../src/model/index.ts";
import type { Store } from "../../../src/store/store.ts";
import { createFakeClock } from "../../support/fake-clock.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { noticeOf } from "../../support/notices.ts";
import { propertyRuns } from "../../support/tier.ts";

const START = Date.UTC(2026, 10, 28, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const log = pino({ level: "silent" });
const ANY = { rule: null, subjects: null, labels: {}, author: "anna", comment: null, createdAt: 0 };

function silence(endsAt: number, more: Partial<Silence> = {}): Silence {
  return { ...ANY, id: 1, rule: "my-range", startsAt: START - HOUR, endsAt, ...more };
}

/** As the store on SQLite reads what others write. */
function storeWith(silences: Silence[]): Store {
  return {
    ...createMemoryStore(),
    silences: async (now) =>
      silences.filter(({ startsAt, endsAt }) => startsAt <= now && now < endsAt),
  };
}

const running: Delivery[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((delivery) => delivery.stop()));
});

interface World {
  readonly store: Store;
  readonly clock: ReturnType<typeof createFakeClock>;
  /** The notices that the channel was sent, by id. */
  readonly told: string[];
  readonly dropped: number[];
  readonly channels: ReadonlyMap<string, Channel>;
  /** `fired1` is a notice of that id and kind. */
  readonly tell: (id: string, notice?: Partial<Notice>) => Promise<void>;
  readonly start: (parts?: Partial<DeliveryParts>) => Promise<Delivery>;
}

function setUp(silences: Silence[] = [], more: Partial<DeliveryParts> = {}): World {
  const store = more.store ?? storeWith(silences);
  const clock = createFakeClock(START);
  const told: string[] = [];
  const dropped: number[] = [];
  const channel: Channel = {
    render: ({ id }) => id,
    send: ({ body }) => {
      told.push(body);
      return Promise.resolve({ status: "sent" });
    },
    close: () => Promise.resolve(),
  };
  const channels = new Map([["lp", channel]]);
  let delivery: Delivery | null = null;
  return {
    store,
    channels,
    clock,
    told,
    dropped,
    async tell(id: string, notice: Partial<Notice> = {}): Promise<void> {
      const kind = id.replace(/\d/g, "") as Notice["kind"];
      const made = noticeOf({ id, kind, at: clock.now(), ...notice });
      await store.commit({ ...NO_CHANGE, notices: [{ notice: made, channels: ["lp"] }] });
      delivery?.poke();
      await delivery?.idle();
    },
    async start(parts: Partial<DeliveryParts> = {}): Promise<Delivery> {
      const onEvent: OnDeliveryEvent = (event) => {
        if (event.kind === "dropped") dropped.push(event.count);
      };
      delivery = startDelivery({ channels, clock, log, onEvent, ...more, ...parts, store });
      running.push(delivery);
      await delivery.idle();
      return delivery;
    },
  };
}

function mutes(lists: readonly (readonly MuteWindow[])[]): NonNullable<DeliveryParts["mutesOf"]> {
  return (rule) => (rule === "my-range" ? new Map([["lp", lists]]) : undefined);
}

const LUNCH: MuteWindow = { from: 720, to: 780, days: [0, 1, 2, 3, 4, 5, 6], timezone: "UTC" };

describe("a silence", () => {
  it("holds back what it matches until its end, and tells then what still fires", async () => {
    const { tell, start, clock, told, store } = setUp([silence(START + 10 * MINUTE)]);
    await start();
    await tell("fired1");
    await tell("fired2", { rule: "other" });
    await tell("self", { rule: null, subject: null });
    expect(told).toEqual(["fired2", "self"]);
    await clock.advance(10 * MINUTE - 1);
    expect(told).toHaveLength(2);
    expect(await store.owed()).toEqual(new Map([["lp", 1]]));
    await clock.advance(1);
    expect(told).toEqual(["fired2", "self", "fired1"]);
  });

  it("drops what came and went, and counts it", async () => {
    const { tell, start, clock, told, dropped, store } = setUp([silence(START + 10 * MINUTE)]);
    await start();
    await tell("fired1");
    await tell("worse1");
    await tell("resolved1");
    await clock.advance(HOUR);
    expect(told).toEqual([]);
    expect(dropped).toEqual([3]);
    expect((await store.owed()).get("lp") ?? 0).toBe(0);
  });

  it("tells at its end that what was told before is over", async () => {
    const silences: Silence[] = [];
    const { tell, start, clock, told } = setUp(silences);
    await start();
    await tell("fired1");
    silences.push(silence(START + 10 * MINUTE));
    await tell("reminder1");
    await tell("resolved1");
    await clock.advance(HOUR);
    expect(told).toEqual(["fired1", "resolved1"]);
  });

  it("tells of each of a thousand alerts at its end, once", async () => {
    const { start, clock, told, dropped, store } = setUp([silence(START + 10 * MINUTE)]);
    const ids = Array.from({ length: 1_100 }, (_, i) => `fired${i}`);
    const notices = ids.flatMap((id, i) => {
      const fired = noticeOf({ id, kind: "fired", subject: id });
      // Of every other one it is told that it was over, too.
      const over = noticeOf({ id: `over${i}`, kind: "resolved", subject: id });
      return i % 2 === 0 ? [fired] : [fired, over];
    });
    await store.commit({
      ...NO_CHANGE,
      notices: notices.map((notice) => ({ notice, channels: ["lp"] })),
    });
    const delivery = await start();
    expect(told).toEqual([]);
    await clock.advance(10 * MINUTE);
    await delivery.idle();
    expect(told).toEqual(ids.filter((_, i) => i % 2 === 0));
    expect(dropped.reduce((sum, count) => sum + count, 0)).toBe(1_100);
    expect((await store.owed()).get("lp") ?? 0).toBe(0);
  });

  it("after the first of two ends the other holds on", async () => {
    const silences = [silence(START + 5 * MINUTE), silence(START + 20 * MINUTE, { id: 2 })];
    const { tell, start, clock, told } = setUp(silences);
    await start();
    await tell("fired1");
    await clock.advance(19 * MINUTE);
    expect(told).toEqual([]);
    await clock.advance(MINUTE);
    expect(told).toEqual(["fired1"]);
  });

  it("that is ended early lets go within a minute", async () => {
    const silences = [silence(START + 100 * HOUR)];
    const { tell, start, clock, told, store } = setUp(silences);
    await start();
    await tell("fired1");
    silences.pop();
    await store.hold("lp", ["fired1"], clock.now());
    await clock.advance(MINUTE);
    expect(told).toEqual(["fired1"]);
  });

  it("holds nothing behind what another process has let go of", async () => {
    const silences = [silence(START + HOUR)];
    const { store, tell, start, told } = setUp(silences);
    await start();
    await tell("fired1");
    silences.pop();
    await store.release("lp", { keep: [], drop: ["fired1"], add: [] });
    await tell("resolved1");
    expect(told).toEqual(["resolved1"]);
  });

  it("lets nothing of an alert overtake what it holds, even what it does not match", async () => {
    const { tell, start, clock, told } = setUp([
      silence(START + 10 * MINUTE, { rule: null, labels: { team: "lp" } }),
    ]);
    await start();
    await tell("fired1", { labels: { team: "lp" } });
    // Its rule was edited: the label is gone.
    await tell("worse1");
    await tell("fired2", { subject: "another" });
    expect(told).toEqual(["fired2"]);
    await tell("resolved1");
    await tell("fired3");
    await clock.advance(10 * MINUTE);
    expect(told).toEqual(["fired2", "fired3"]);
  });

  it("holds an alert as long as the last of its notices is silent, though the first is no more", async () => {
    const { tell, start, clock, told } = setUp([
      silence(START + 10 * MINUTE, { rule: null, labels: { team: "lp" } }),
      silence(START + 20 * MINUTE, { id: 2, rule: null, labels: { team: "ops" } }),
    ]);
    await start();
    await tell("fired1", { labels: { team: "lp" } });
    // Its rule was edited: another team has it.
    await tell("worse1", { labels: { team: "ops" } });
    await tell("fired2", { rule: "other" });
    await clock.advance(20 * MINUTE - 1);
    expect(told).toEqual(["fired2"]);
    await clock.advance(1);
    expect(told).toEqual(["fired2", "fired1", "worse1"]);
  });

  it("tells the start of a rule first, and then what has ended since", async () => {
    const { tell, start, clock, told } = setUp([silence(START + 10 * MINUTE)]);
    await start();
    const firing = [{ subject: "v4_position:1:dexa:42", label: "Treasury" }];
    await tell("started1", { subject: null, firing });
    await tell("resolved1");
    await clock.advance(10 * MINUTE);
    expect(told).toEqual(["started1", "resolved1"]);
  });

  it("lets no alert of a rule overtake the start that it holds, even one that it does not match", async () => {
    const { tell, start, clock, told } = setUp([
      silence(START + 10 * MINUTE, { rule: null, labels: { team: "lp" } }),
      silence(START + 20 * MINUTE, { rule: null, labels: { team: "lp" } }),
    ]);
    await start();
    const firing = [{ subject: "v4_position:1:dexa:42", label: "Treasury" }];
    await tell("started1", { subject: null, firing, labels: { team: "lp" } });
    // Its rule was edited: the label is gone.
    await tell("resolved1");
    await tell("fired2", { rule: "other" });
    await clock.advance(15 * MINUTE);
    expect(told).toEqual(["fired2"]);
    await clock.advance(5 * MINUTE);
    expect(told).toEqual(["fired2", "started1", "resolved1"]);
  });
});

describe("a mute", () => {
  it("holds back what its rule tells this channel until its window closes", async () => {
    const { tell, start, clock, told } = setUp([], { mutesOf: mutes([[LUNCH]]) });
    await start();
    await tell("fired1");
    await tell("fired2", { rule: "other" });
    expect(told).toEqual(["fired2"]);
    await clock.advance(HOUR);
    expect(told).toEqual(["fired2", "fired1"]);
    await tell("resolved1");
    expect(told).toEqual(["fired2", "fired1", "resolved1"]);
  });

  it("that a restart finds gone lets go at once", async () => {
    const { tell, start, told } = setUp([], { mutesOf: mutes([[LUNCH]]) });
    const first = await start();
    await tell("fired1");
    await first.stop();
    await start({ mutesOf: () => undefined });
    expect(told).toEqual(["fired1"]);
  });

  it("that a reload ends while another one is looked at ends at once", async () => {
    let muted = true;
    let onHold = (): void => {};
    const inner = createMemoryStore();
    const store: Store = {
      ...inner,
      async hold(...args) {
        await inner.hold(...args);
        onHold();
      },
    };
    const lunch = mutes([[LUNCH]]);
    const mutesOf = (rule: string) => (muted ? lunch(rule) : undefined);
    const { tell, start, told, channels } = setUp([], { store, mutesOf });
    const delivery = await start();
    await tell("fired1");
    const during: Promise<void>[] = [];
    onHold = () => {
      muted = false;
      if (during.length === 0) during.push(delivery.follow({ channels }));
    };
    await delivery.follow({ channels });
    await delivery.idle();
    await Promise.all(during);
    await delivery.idle();
    expect(during).toHaveLength(1);
    expect(told).toEqual(["fired1"]);
  });

  it("ends by the clock of the rules, not by that of the sends", async () => {
    const rules = createFakeClock(START);
    const { tell, start, clock, told } = setUp([], { mutesOf: mutes([[LUNCH]]), holdClock: rules });
    await start();
    await tell("fired1");
    await clock.advance(5 * HOUR);
    expect(told).toEqual([]);
    await rules.advance(HOUR);
    expect(told).toEqual(["fired1"]);
  });

  it("does not hold for a year because the clock was a year ahead", async () => {
    const { tell, start, clock, told } = setUp([], { mutesOf: mutes([[LUNCH]]) });
    await clock.set(START + 365 * 24 * HOUR);
    await start();
    await tell("fired1");
    await clock.set(START + 2 * HOUR);
    await clock.advance(MINUTE);
    expect(told).toEqual(["fired1"]);
  });
});

const never = (): Promise<never> => new Promise(() => {});

/** The store as a process sees it that dies before or after its operation number `last`. */
function mortal(store: Store, last: number, before: boolean): Store {
  let operations = 0;
  const step = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    operations += 1;
    if (operations > last || (operations === last && before)) return never();
    const result = await act();
    return operations >= last ? never() : result;
  };
  return {
    ...store,
    claim: (...args) => step(() => store.claim(...args)),
    freeze: (...args) => step(() => store.freeze(...args)),
    settle: (...args) => step(() => store.settle(...args)),
    wake: (...args) => step(() => store.wake(...args)),
    hold: (...args) => step(() => store.hold(...args)),
    held: (...args) => step(() => store.held(...args)),
    release: (...args) => step(() => store.release(...args)),
    silences: (...args) => step(() => store.silences(...args)),
  };
}

const KINDS = ["fired", "worse", "resolved", "no_data", "data_back", "changed"] as const;
/** What a life does before its end: how many of its operations take effect, and how long it lasts. */
const lives = fc.array(
  fc.record({
    last: fc.integer({ min: 1, max: 25 }),
    before: fc.boolean(),
    minutes: fc.integer({ min: 0, max: 2 }),
  }),
  { maxLength: 4 },
);

describe("whenever the process dies", () => {
  it("what was held back comes to the same as if it never had", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.constantFrom(...KINDS)), { maxLength: 8 }),
        lives,
        async (events, deaths) => {
          const outcome = async (ends: typeof deaths): Promise<string[]> => {
            const store = storeWith([silence(START + 10 * MINUTE)]);
            const { clock, told, tell } = setUp([], { store });
            for (const [i, [subject, kind]] of events.entries()) {
              await tell(`${kind}${i}`, { kind, subject, at: START + i });
            }
            const channel: Channel = {
              render: ({ id }) => id,
              send: ({ body }) => Promise.resolve(told.push(body)).then(() => ({ status: "sent" })),
              close: () => Promise.resolve(),
            };
            const parts = { channels: new Map([["lp", channel]]), clock, log };
            for (const { last, before, minutes } of ends) {
              // It hangs at its end as a dead process does, and is never stopped.
              startDelivery({ ...parts, store: mortal(store, last, before) });
              await clock.advance(minutes * MINUTE);
            }
            const delivery = startDelivery({ ...parts, store });
            await clock.advance(HOUR);
            await delivery.stop();
            expect((await store.owed()).get("lp") ?? 0).toBe(0);
            // A kill between a send and what is written of it repeats one message.
            return told.filter((id, i) => told.indexOf(id) === i);
          };
          expect(await outcome(deaths)).toEqual(await outcome([]));
        },
      ),
      { numRuns: propertyRuns(40) },
    );
  });
});
