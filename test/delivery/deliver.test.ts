import { Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { type Logger, pino } from "pino";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Channel, Outcome } from "../../src/channels/channel.ts";
import { type Delivery, type DeliveryParts, startDelivery } from "../../src/delivery/deliver.ts";
import type { DeliveryEvent, OnDeliveryEvent } from "../../src/delivery/event.ts";
import { troublesFromText, troublesToText } from "../../src/delivery/troubles.ts";
import { CHANNELS_MARK, type Message, NO_CHANGE, type Notice } from "../../src/model/index.ts";
import { type Store, StoreError } from "../../src/store/store.ts";
import { createFakeClock, type FakeClock } from "../support/fake-clock.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { noticeOf } from "../support/notices.ts";
import { until } from "../support/until.ts";

const START = Date.UTC(2026, 10, 27, 15);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly [key: string]: unknown;
}

function recordedLog(): { log: Logger; lines: Line[] } {
  const lines: Line[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Line);
      done();
    },
  });
  return { log: pino({ level: "debug" }, stream), lines };
}

/** Node's own timers, by which a stop goes, stand still from now on until the test moves them. */
function holdRealTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

/** A channel that answers from a list, then with `sent`. */
function scripted(...outcomes: (Outcome | Promise<Outcome>)[]): Channel & {
  sent: Message[];
  script: (Outcome | Promise<Outcome>)[];
  next: (...more: Outcome[]) => void;
} {
  const sent: Message[] = [];
  return {
    sent,
    script: outcomes,
    next: (...more) => void outcomes.push(...more),
    render: (notice) => `body of ${notice.id}`,
    async send(message) {
      sent.push(message);
      return (await outcomes.shift()) ?? { status: "sent" };
    },
    close: () => Promise.resolve(),
  };
}

/** An outcome that the test gives when it likes. */
function later(): { promise: Promise<Outcome>; resolve: (outcome: Outcome) => void } {
  let resolve = (outcome: Outcome): void => {
    throw new Error(`too early for ${outcome.status}`);
  };
  const promise = new Promise<Outcome>((give) => {
    resolve = give;
  });
  return { promise, resolve };
}

const running: Delivery[] = [];

function setUp(
  channels: Record<string, Channel>,
  more: Partial<DeliveryParts> = {},
): {
  store: Store;
  clock: ReturnType<typeof createFakeClock>;
  lines: Line[];
  owe: (id: string, ...to: string[]) => Promise<void>;
  start: () => Delivery;
} {
  const store = more.store ?? createMemoryStore();
  const clock = createFakeClock(START);
  const { log, lines } = recordedLog();
  return {
    store,
    clock,
    lines,
    async owe(id, ...to) {
      const notice: Notice = noticeOf({ id });
      await store.commit({ ...NO_CHANGE, notices: [{ notice, channels: to }] });
    },
    start() {
      const map = new Map(Object.entries(channels));
      const parts = { channels: map, clock, log, random: () => 0, ...more, store };
      const delivery = startDelivery(parts);
      running.push(delivery);
      return delivery;
    },
  };
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((delivery) => delivery.stop()));
});

type Trouble = Extract<DeliveryEvent, { kind: "trouble" }>;

/** Hears of the troubles of channels alone. */
function hearing(tell: (event: Trouble) => void): OnDeliveryEvent {
  return (event) => {
    if (event.kind === "trouble") tell(event);
  };
}

describe("delivery", () => {
  it("sends what is owed, oldest first, and marks it as sent", async () => {
    const slack = scripted();
    const told: string[] = [];
    const { store, owe, start } = setUp(
      { slack },
      {
        onEvent: (event) => {
          if (event.kind === "ended" && event.status === "sent")
            told.push(...event.message.notices);
        },
      },
    );
    await owe("n1", "slack");
    await owe("n2", "slack");
    const delivery = start();
    await delivery.idle();
    await owe("n3", "slack");
    delivery.poke("slack");
    await delivery.idle();
    expect(slack.sent.map(({ body }) => body)).toEqual(["body of n1", "body of n2", "body of n3"]);
    expect(slack.sent.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
    expect(told).toEqual(["n1", "n2", "n3"]);
    expect((await store.owed()).get("slack") ?? 0).toBe(0);
  });

  it("finds what another process owes within a minute, without being poked", async () => {
    const slack = scripted();
    const { clock, owe, start } = setUp({ slack });
    await start().idle();
    await owe("n1", "slack");
    await clock.advance(MINUTE);
    expect(slack.sent).toHaveLength(1);
  });

  it("repeats a message with its id and body, ever later, and nothing overtakes it", async () => {
    const retry = { status: "retry", reason: "HTTP 503" } as const;
    const slack = scripted(retry, retry, retry);
    const { clock, owe, start, lines } = setUp({ slack });
    await owe("n1", "slack");
    await owe("n2", "slack");
    const delivery = start();
    await delivery.idle();
    const times = [clock.now()];
    for (let i = 0; i < 20_000 && slack.sent.length < 5; i += 1) {
      const before = slack.sent.length;
      await clock.advance(100);
      if (slack.sent.length > before) times.push(clock.now());
    }
    expect(times.map((time) => time - START)).toEqual([0, 1_000, 3_000, 7_000]);
    expect(slack.sent.map(({ body }) => body)).toEqual([
      ...Array.from({ length: 4 }, () => "body of n1"),
      "body of n2",
    ]);
    expect(new Set(slack.sent.slice(0, 4).map(({ id }) => id)).size).toBe(1);
    expect(slack.sent.map(({ attempts }) => attempts)).toEqual([1, 2, 3, 4, 1]);
    expect(lines.filter(({ reason }) => reason === "HTTP 503")).toHaveLength(3);
  });

  it("tries within a minute what another process has made due", async () => {
    const gone: Outcome = { status: "retry", reason: "HTTP 503", afterMs: HOUR };
    const slack = scripted(gone, gone);
    const { store, clock, owe, start } = setUp({ slack });
    await owe("n1", "slack");
    await start().idle();
    // By then the channel's trouble is written down, and there is nothing more to say of it for a while.
    await clock.advance(2 * MINUTE);
    expect(slack.sent).toHaveLength(1);
    await store.wake("slack");
    await clock.advance(MINUTE);
    expect(slack.sent).toHaveLength(2);
  });

  it("respects what a receiver asks for", async () => {
    const slack = scripted({ status: "retry", reason: "HTTP 429", afterMs: 90_000 });
    const { clock, owe, start } = setUp({ slack });
    await owe("n1", "slack");
    await start().idle();
    await clock.advance(89_999);
    expect(slack.sent).toHaveLength(1);
    await clock.advance(1);
    expect(slack.sent).toHaveLength(2);
  });

  it("parks a channel that refuses, keeps everything, and probes after ten minutes", async () => {
    const parked = { status: "parked", reason: "HTTP 404, no_service" } as const;
    const slack = scripted(parked, parked);
    const { store, clock, owe, start, lines } = setUp({ slack });
    await owe("n1", "slack");
    await owe("n2", "slack");
    const delivery = start();
    await delivery.idle();
    delivery.poke();
    await clock.advance(10 * MINUTE - 1);
    expect(slack.sent).toHaveLength(1);
    expect((await store.owed()).get("slack")).toBe(2);
    expect(lines).toContainEqual(
      expect.objectContaining({ channel: "slack", reason: "HTTP 404, no_service", level: 40 }),
    );
    await clock.advance(1);
    expect(slack.sent).toHaveLength(2);
    await clock.advance(10 * MINUTE);
    expect(slack.sent.map(({ body }) => body)).toEqual([
      "body of n1",
      "body of n1",
      "body of n1",
      "body of n2",
    ]);
  });

  it("tries a parked channel at once after a restart", async () => {
    const slack = scripted({ status: "parked", reason: "HTTP 410" });
    const { owe, start } = setUp({ slack });
    await owe("n1", "slack");
    const first = start();
    await first.idle();
    await first.stop();
    await start().idle();
    expect(slack.sent).toHaveLength(2);
  });

  it("gives up what can never be delivered, says so, and goes on", async () => {
    const slack = scripted({ status: "dead", reason: "HTTP 400, invalid_blocks" });
    const { owe, start, lines } = setUp({ slack });
    await owe("n1", "slack");
    await owe("n2", "slack");
    await start().idle();
    expect(slack.sent.map(({ body }) => body)).toEqual(["body of n1", "body of n2"]);
    expect(lines.filter(({ level }) => level === 50)).toMatchObject([
      { channel: "slack", reason: "HTTP 400, invalid_blocks", notices: ["n1"] },
    ]);
  });

  it("gives up a notice that cannot be rendered, and goes on", async () => {
    const slack = scripted();
    const picky: Channel = {
      ...slack,
      render(notice) {
        if (notice.id === "n1") throw new TypeError("no such picture");
        return slack.render(notice);
      },
    };
    const { owe, start, lines } = setUp({ slack: picky });
    await owe("n1", "slack");
    await owe("n2", "slack");
    await start().idle();
    expect(slack.sent.map(({ body }) => body)).toEqual(["body of n2"]);
    expect(lines.filter(({ level }) => level === 50)).toMatchObject([{ notice: "n1" }]);
  });

  it("takes a channel that rejects for passing trouble and tells nothing of the error", async () => {
    const slack = scripted(Promise.reject(new Error("https://hooks.example/secretword")));
    const { clock, owe, start, lines } = setUp({ slack });
    await owe("n1", "slack");
    await start().idle();
    await clock.advance(1_000);
    expect(slack.sent).toHaveLength(2);
    expect(JSON.stringify(lines)).not.toContain("secretword");
  });

  it("lets no slow channel hold up another", async () => {
    const held = later();
    const slow = scripted(held.promise);
    const quick = scripted();
    const { clock, owe, start } = setUp({ slow, quick });
    await owe("n1", "slow", "quick");
    await owe("n2", "slow", "quick");
    const delivery = start();
    await clock.advance(MINUTE);
    expect([slow.sent.length, quick.sent.length]).toEqual([1, 2]);
    held.resolve({ status: "sent" });
    await delivery.idle();
    expect(slow.sent).toHaveLength(2);
  });

  it("keeps what is owed to a channel that is not configured, and says so once", async () => {
    const { store, owe, start, lines } = setUp({ slack: scripted() });
    await owe("n1", "gone");
    const delivery = start();
    await delivery.idle();
    delivery.poke("gone");
    delivery.poke("gone");
    expect(lines.filter(({ channel }) => channel === "gone")).toHaveLength(1);
    expect((await store.owed()).get("gone")).toBe(1);
  });
});

describe("a channel that another daemon delivers to", () => {
  it("is no stranger, and its trouble is known to who takes it over", async () => {
    const said: unknown[] = [];
    const slack = scripted();
    const { store, owe, start, lines } = setUp(
      { slack },
      {
        elsewhere: new Set(["mail"]),
        onEvent: hearing(({ channel, trouble }) => said.push([channel, trouble?.reason ?? null])),
      },
    );
    const trouble = { since: START, reason: "HTTP 404", rejects: true, told: true };
    const value = troublesToText(new Map([["mail", trouble]]));
    await store.commit({ ...NO_CHANGE, marks: [{ subject: CHANNELS_MARK, value }] });
    await owe("n1", "mail");
    const delivery = start();
    delivery.poke("mail");
    await delivery.idle();
    expect(said).toEqual([]);
    const mail = scripted();
    const channels = new Map<string, Channel>(Object.entries({ slack, mail }));
    await delivery.follow({ channels });
    await delivery.idle();
    expect(mail.sent).toHaveLength(1);
    expect(said).toEqual([
      ["mail", "HTTP 404"],
      ["mail", null],
    ]);
    expect(lines.filter(({ level }) => level >= 40)).toEqual([]);
  });
});

describe("a channel that is sent notices one by one", () => {
  it("reads each of many that are queued once, and not all of them for each message", async () => {
    const inner = createMemoryStore();
    let read = 0;
    const store: Store = {
      ...inner,
      async claim(...args) {
        const claim = await inner.claim(...args);
        if (claim.kind === "notices") read += claim.notices.length;
        return claim;
      },
    };
    const hook = scripted();
    const { clock, owe, start } = setUp({ hook }, { store });
    const ids = Array.from({ length: 50 }, (_, i) => `n${i}`);
    for (const id of ids) await owe(id, "hook");
    start();
    await clock.advance(MINUTE);
    expect(hook.sent.flatMap(({ notices }) => notices)).toEqual(ids);
    expect(read).toBe(ids.length);
  });
});

describe("a store in trouble", () => {
  /** The store, failing in one method as long as it is told to. */
  function failing(method: "claim" | "freeze" | "settle" | "wake"): {
    store: Store;
    mend: () => void;
  } {
    const inner = createMemoryStore();
    let broken = true;
    const fail = (): Promise<never> =>
      Promise.reject(new StoreError("unwritable", "the database cannot be written"));
    return {
      store: {
        ...inner,
        claim: (...args) => (broken && method === "claim" ? fail() : inner.claim(...args)),
        freeze: (...args) => (broken && method === "freeze" ? fail() : inner.freeze(...args)),
        settle: (...args) => (broken && method === "settle" ? fail() : inner.settle(...args)),
        wake: (...args) => (broken && method === "wake" ? fail() : inner.wake(...args)),
      },
      mend() {
        broken = false;
      },
    };
  }

  it.each(["claim", "freeze", "settle", "wake"] as const)(
    "does not end a loop when it cannot %s, and nothing is sent twice",
    async (method) => {
      const { store, mend } = failing(method);
      const slack = scripted();
      const { clock, owe, start, lines } = setUp({ slack }, { store });
      await owe("n1", "slack");
      start();
      await clock.advance(10 * MINUTE);
      expect(slack.sent).toHaveLength(method === "settle" ? 1 : 0);
      // The log says so only of what is written down: a restart does not send it again.
      const delivered = () => lines.filter(({ msg }) => msg === "delivered").length;
      expect(delivered()).toBe(0);
      mend();
      await clock.advance(MINUTE);
      expect(slack.sent).toHaveLength(1);
      expect(delivered()).toBe(1);
      expect((await store.owed()).get("slack") ?? 0).toBe(0);
      const errors = lines.filter(({ level }) => level === 50);
      expect(errors.length).toBeGreaterThan(3);
      // A pause grows: a broken disk does not fill the log.
      expect(errors.length).toBeLessThan(40);
    },
  );

  it("does not hold up a stop, nor fill the log in it", async () => {
    const slack = scripted();
    let tries = 0;
    const store: Store = {
      ...createMemoryStore(),
      async settle() {
        tries += 1;
        await turn();
        throw new StoreError("unwritable", "the database cannot be written");
      },
    };
    const { clock, owe, start, lines } = setUp({ slack }, { store });
    await owe("n1", "slack");
    const delivery = start();
    await clock.advance(MINUTE);
    const before = lines.length;
    await delivery.stop();
    expect(tries).toBeGreaterThan(3);
    expect(lines.length - before).toBeLessThan(3);
  });

  it("does not pause for longer because there was another trouble before", async () => {
    const inner = createMemoryStore();
    let failures = 6;
    const store: Store = {
      ...inner,
      claim(...args) {
        if (failures === 0) return inner.claim(...args);
        failures -= 1;
        return Promise.reject(new StoreError("unwritable", "the database cannot be written"));
      },
    };
    const slack = scripted();
    const { clock, owe, start } = setUp({ slack }, { store });
    const delivery = start();
    await clock.advance(2 * MINUTE);
    expect(failures).toBe(0);
    failures = 1;
    await owe("n1", "slack");
    delivery.poke();
    await clock.advance(1_000);
    expect(slack.sent).toHaveLength(1);
  });
});

describe("a stop", () => {
  it("lets the send under way finish and starts no other", async () => {
    const held = later();
    const slack = scripted(held.promise);
    const { store, clock, owe, start } = setUp({ slack });
    await owe("n1", "slack");
    await owe("n2", "slack");
    const delivery = start();
    await clock.advance(0);
    const stopped = delivery.stop();
    held.resolve({ status: "sent" });
    await stopped;
    expect(slack.sent).toHaveLength(1);
    expect((await store.owed()).get("slack")).toBe(1);
  });

  it("breaks off what hangs after three seconds, and it is sent again after the next start", async () => {
    const sent: Message[] = [];
    let hang = true;
    const slack: Channel = {
      ...scripted(),
      send: (message, signal) => {
        sent.push(message);
        if (!hang) return Promise.resolve({ status: "sent" });
        return new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            resolve({ status: "retry", reason: "interrupted" });
          });
        });
      },
    };
    const { store, clock, owe, start, lines } = setUp({ slack });
    await owe("n1", "slack");
    const delivery = start();
    await clock.advance(0);
    holdRealTime();
    let isOver = false;
    const stopped = delivery.stop().then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(2_999);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await stopped;
    expect((await store.owed()).get("slack")).toBe(1);
    // Nobody refused it.
    expect(lines.filter(({ level }) => level >= 40)).toEqual([]);
    hang = false;
    await start().idle();
    expect(sent.map(({ id }) => id)).toEqual([sent[0]?.id, sent[0]?.id]);
  });

  it("does not send again what arrived just as it was broken off", async () => {
    const sent: Message[] = [];
    const slack: Channel = {
      ...scripted(),
      send: (message, signal) => {
        sent.push(message);
        return new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            resolve({ status: "sent" });
          });
        });
      },
    };
    const { store, clock, owe, start } = setUp({ slack });
    await owe("n1", "slack");
    const delivery = start();
    await clock.advance(0);
    holdRealTime();
    const stopped = delivery.stop();
    await vi.advanceTimersByTimeAsync(3_000);
    await stopped;
    expect((await store.owed()).get("slack") ?? 0).toBe(0);
    await start().idle();
    expect(sent).toHaveLength(1);
  });

  it("says of nothing that it was delivered once it has left a channel behind", async () => {
    const held = later();
    const { clock, owe, start, lines } = setUp({ slack: scripted(held.promise) });
    await owe("n1", "slack");
    const delivery = start();
    await clock.advance(0);
    holdRealTime();
    const stopped = delivery.stop();
    await vi.advanceTimersByTimeAsync(3_500);
    await stopped;
    held.resolve({ status: "sent" });
    await clock.advance(0);
    expect(lines.filter(({ msg }) => msg === "delivered")).toEqual([]);
  });

  it("is quick when there is nothing to do, and leaves no timer", async () => {
    const { clock, start } = setUp({ slack: scripted(), mail: scripted() });
    const delivery = start();
    await delivery.idle();
    // It waits for no time to pass.
    holdRealTime();
    await delivery.stop();
    expect(clock.waiting()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("gives people what comes within the wait as one message, programs one after another", async () => {
    const people = { ...scripted(), digests: true as const };
    const program = scripted();
    const { clock, store, owe, start } = setUp({ people, program }, { groupWaitMs: 5_000 });
    await owe("n1", "people", "program");
    const delivery = start();
    await clock.advance(3_000);
    await owe("n2", "people", "program");
    delivery.poke();
    await clock.advance(1_999);
    expect(people.sent).toEqual([]);
    expect(program.sent.map(({ notices }) => notices)).toEqual([["n1"], ["n2"]]);
    await clock.advance(1);
    await delivery.idle();
    expect(people.sent.map(({ notices }) => notices)).toEqual([["n1", "n2"]]);
    expect(await store.owed()).toEqual(new Map());
    await owe("n3", "people");
    delivery.poke();
    await clock.advance(5_000);
    await delivery.idle();
    expect(people.sent.at(-1)).toMatchObject({ notices: ["n3"], body: "body of n3" });
  });

  it("sends a report as a message of its own, between what comes before and after it", async () => {
    const people = { ...scripted(), digests: true as const };
    const { clock, store, owe, start } = setUp({ people }, { groupWaitMs: 5_000 });
    await owe("n1", "people");
    await owe("n2", "people");
    const report = noticeOf({ id: "r1", kind: "report", rule: null });
    await store.commit({ ...NO_CHANGE, notices: [{ notice: report, channels: ["people"] }] });
    await owe("n3", "people");
    await owe("n4", "people");
    const delivery = start();
    await clock.advance(5_000);
    await delivery.idle();
    expect(people.sent.map(({ notices }) => notices)).toEqual([["n1", "n2"], ["r1"], ["n3", "n4"]]);
  });

  it("lets what comes during a send wait for others, too", async () => {
    const held = later();
    const slow = scripted(held.promise);
    const people = { ...slow, digests: true as const };
    const { clock, owe, start } = setUp({ people }, { groupWaitMs: 5_000 });
    await owe("n1", "people");
    const delivery = start();
    await clock.advance(5_000);
    await until(() => slow.sent.length === 1);
    await owe("n2", "people");
    held.resolve({ status: "sent" });
    await clock.advance(3_000);
    await owe("n3", "people");
    delivery.poke();
    await clock.advance(2_000);
    await clock.advance(0);
    expect(slow.sent.map(({ notices }) => notices)).toEqual([["n1"], ["n2", "n3"]]);
  });

  it("sends a report alone after a single notice, and lets what comes later wait as ever", async () => {
    const people = { ...scripted(), digests: true as const };
    const { clock, store, owe, start } = setUp({ people }, { groupWaitMs: 5_000 });
    await owe("n1", "people");
    const report = noticeOf({ id: "r1", kind: "report", rule: null });
    await store.commit({ ...NO_CHANGE, notices: [{ notice: report, channels: ["people"] }] });
    const delivery = start();
    await clock.advance(5_000);
    await delivery.idle();
    expect(people.sent.map(({ notices }) => notices)).toEqual([["n1"], ["r1"]]);
    await owe("n2", "people");
    delivery.poke();
    await clock.advance(3_000);
    await owe("n3", "people");
    delivery.poke();
    await clock.advance(2_000);
    await clock.advance(0);
    expect(people.sent.map(({ notices }) => notices)).toEqual([["n1"], ["r1"], ["n2", "n3"]]);
  });

  it("puts nothing together where nothing is to wait", async () => {
    const people = { ...scripted(), digests: true as const };
    const { owe, start } = setUp({ people });
    await owe("n1", "people");
    await owe("n2", "people");
    await start().idle();
    expect(people.sent.map(({ notices }) => notices)).toEqual([["n1"], ["n2"]]);
  });

  it("sends notices that cannot be told together one by one", async () => {
    const people: ReturnType<typeof scripted> = scripted();
    const odd = {
      ...people,
      digests: true as const,
      render: ({ id }: Notice) => {
        if (!id.startsWith("n")) throw new Error("no digests today");
        return id;
      },
    };
    const { clock, owe, start } = setUp({ odd }, { groupWaitMs: 1 });
    await owe("n1", "odd");
    await owe("n2", "odd");
    const delivery = start();
    for (let turns = 0; turns < 5; turns += 1) await clock.advance(10);
    await delivery.idle();
    expect(people.sent.map(({ body }) => body)).toEqual(["n1", "n2"]);
  });

  it("tells digests again with the same body after a crash in the send", async () => {
    const store = createMemoryStore();
    const hanging = later();
    const first = { ...scripted(hanging.promise), digests: true as const };
    const one = setUp({ slack: first }, { store, groupWaitMs: 1_000 });
    await one.owe("n1", "slack");
    await one.owe("n2", "slack");
    one.start();
    await one.clock.advance(1_000);
    await until(() => first.sent.length === 1);
    // Another process on the same store, while the first one hangs.
    const second = { ...scripted(), digests: true as const };
    await setUp({ slack: second }, { store }).start().idle();
    expect(second.sent).toEqual(first.sent);
    hanging.resolve({ status: "sent" });
  });

  it("leaves a receiver the time between sends that it wants", async () => {
    const slack = { ...scripted(), gapMs: 1_000 };
    const { clock, owe, start } = setUp({ slack });
    for (const id of ["n1", "n2", "n3"]) await owe(id, "slack");
    start();
    await until(() => slack.sent.length === 1);
    await clock.advance(999);
    expect(slack.sent).toHaveLength(1);
    await clock.advance(1);
    expect(slack.sent).toHaveLength(2);
    await clock.advance(1_000);
    expect(slack.sent).toHaveLength(3);
  });

  it("sends nothing in that time because it is stopped", async () => {
    const slack = { ...scripted(), gapMs: 1_000 };
    const { clock, owe, start } = setUp({ slack });
    for (const id of ["n1", "n2"]) await owe(id, "slack");
    const delivery = start();
    await clock.advance(500);
    expect(slack.sent).toHaveLength(1);
    await delivery.stop();
    expect(slack.sent).toHaveLength(1);
  });
});

describe("delivery over time", () => {
  describe.each<[string, readonly number[]]>([
    ["back by four minutes", [-4 * MINUTE]],
    ["back by hours", [-7 * HOUR]],
    ["on by hours", [7 * HOUR]],
    ["back and forth", [-HOUR, 3 * HOUR, -2 * HOUR]],
  ])("while the clock is set %s", (_, steps) => {
    /** Sets the clock, a second after each other. */
    async function jump(clock: FakeClock): Promise<void> {
      for (const step of steps) {
        await clock.set(clock.now() + step);
        await clock.advance(1_000);
      }
    }
    const spent = steps.length * 1_000;

    it("keeps the time between sends, and no more", async () => {
      const slack = { ...scripted(), gapMs: 30_000 };
      const { clock, owe, start } = setUp({ slack });
      for (const id of ["n1", "n2"]) await owe(id, "slack");
      start();
      await until(() => slack.sent.length === 1);
      await jump(clock);
      await clock.advance(30_000 - spent - 1);
      expect(slack.sent).toHaveLength(1);
      await clock.advance(1);
      expect(slack.sent).toHaveLength(2);
    });

    it("waits for others as long as it was told to", async () => {
      const slack: ReturnType<typeof scripted> = { ...scripted(), digests: true };
      const { clock, owe, start } = setUp({ slack }, { groupWaitMs: 5_000 });
      const delivery = start();
      await delivery.idle();
      await owe("n1", "slack");
      delivery.poke();
      await clock.advance(0);
      await jump(clock);
      await clock.advance(5_000 - spent);
      expect(slack.sent).toHaveLength(1);
    });

    it("tries again when its wait is over, or at once if that seems to have passed", async () => {
      const slack = scripted({ status: "retry", reason: "HTTP 429", afterMs: 60_000 });
      const { clock, owe, start } = setUp({ slack });
      await owe("n1", "slack");
      await start().idle();
      await jump(clock);
      await clock.advance(60_000 - spent);
      expect(slack.sent).toHaveLength(2);
    });

    it("probes a channel that rejects within ten minutes", async () => {
      const slack = scripted({ status: "parked", reason: "HTTP 404" });
      const { clock, owe, start } = setUp({ slack });
      await owe("n1", "slack");
      await start().idle();
      await jump(clock);
      await clock.advance(10 * MINUTE - spent);
      expect(slack.sent).toHaveLength(2);
    });

    it("delivers what comes later", async () => {
      const slack: ReturnType<typeof scripted> = { ...scripted(), gapMs: 1_000, digests: true };
      const { clock, owe, start } = setUp({ slack }, { groupWaitMs: 5_000 });
      const delivery = start();
      await owe("n1", "slack");
      delivery.poke();
      await clock.advance(5_000);
      await jump(clock);
      await owe("n2", "slack");
      delivery.poke();
      await clock.advance(6_000);
      expect(slack.sent.map(({ notices }) => notices)).toEqual([["n1"], ["n2"]]);
    });

    it("tells of a channel that cannot be reached after a quarter of an hour, not before", async () => {
      const gone: Outcome = { status: "retry", reason: "no answer (ECONNREFUSED)" };
      const slack = scripted(...Array.from({ length: 100 }, () => gone));
      const said: unknown[] = [];
      const { clock, owe, start } = setUp(
        { slack },
        { onEvent: hearing(({ trouble }) => said.push(trouble)) },
      );
      await owe("n1", "slack");
      await start().idle();
      await jump(clock);
      await clock.advance(15 * MINUTE - spent - 1);
      expect(said).toEqual([]);
      await clock.advance(1);
      expect(said).toHaveLength(1);
    });
  });

  it("pays the wait for others once for all that came together", async () => {
    const slack: ReturnType<typeof scripted> = { ...scripted(), gapMs: 1_000, digests: true };
    const { clock, owe, start } = setUp({ slack }, { groupWaitMs: 5_000 });
    const delivery = start();
    await delivery.idle();
    for (let i = 0; i < 1_050; i += 1) await owe(`n${i}`, "slack");
    delivery.poke();
    await clock.advance(4_999);
    expect(slack.sent).toHaveLength(0);
    await clock.advance(1);
    expect(slack.sent).toHaveLength(1);
    await clock.advance(5_000);
    expect(slack.sent.map(({ notices }) => notices.length)).toEqual([200, 200, 200, 200, 200, 50]);
    // What comes later pays anew.
    await owe("later", "slack");
    await owe("with it", "slack");
    delivery.poke();
    await clock.advance(4_999);
    expect(slack.sent).toHaveLength(6);
    await clock.advance(1);
    expect(slack.sent.at(-1)?.notices).toEqual(["later", "with it"]);
  });

  describe("a channel that cannot be reached", () => {
    const gone: Outcome = { status: "retry", reason: "no answer (ENOTFOUND)" };

    it("is told of once after a quarter of an hour, and once when it delivers again", async () => {
      const slack = scripted(...Array.from({ length: 13 }, () => gone));
      const said: string[] = [];
      const { clock, owe, start } = setUp(
        { slack },
        {
          onEvent: hearing(({ channel, trouble }) => {
            const minute = (clock.now() - START) / MINUTE;
            said.push(`${minute} ${channel} ${trouble?.reason ?? "works"}`);
          }),
        },
      );
      await owe("n1", "slack");
      await start().idle();
      await clock.advance(HOUR);
      expect(said).toHaveLength(2);
      expect(said[0]).toBe("15 slack no answer (ENOTFOUND)");
      expect(said[1]).toMatch(/ slack works$/);
      expect(slack.sent).toHaveLength(14);
    });

    it("is told of whatever the trouble is called in between, and not again if it then rejects", async () => {
      const slack = scripted(
        gone,
        { status: "retry", reason: "HTTP 503" },
        { status: "retry", reason: "HTTP 429", afterMs: HOUR },
        { status: "parked", reason: "HTTP 403" },
        gone,
        // It answers, though it does not like the message.
        { status: "dead", reason: "HTTP 400" },
      );
      const said: (string | null)[] = [];
      const { clock, owe, start } = setUp(
        { slack },
        { onEvent: hearing(({ trouble }) => said.push(trouble?.reason ?? null)) },
      );
      await owe("n1", "slack");
      await start().idle();
      await clock.advance(15 * MINUTE);
      expect(said).toEqual(["HTTP 429"]);
      await clock.advance(3 * HOUR);
      expect(said).toEqual(["HTTP 429", null]);
    });

    it("is nobody's trouble if it comes back before, however often", async () => {
      const slack = scripted();
      const said: unknown[] = [];
      const { clock, owe, start } = setUp(
        { slack },
        { onEvent: hearing((event) => said.push(event)) },
      );
      const delivery = start();
      for (let i = 0; i < 10; i += 1) {
        slack.next(gone, gone, gone, gone, gone, gone);
        await owe(`n${i}`, "slack");
        delivery.poke();
        await clock.advance(10 * MINUTE);
      }
      expect(slack.sent).toHaveLength(70);
      expect(said).toEqual([]);
    });

    it("is remembered over restarts, told once in all, and over after one", async () => {
      const slack = scripted(...Array.from({ length: 40 }, () => gone));
      const said: [unknown, boolean][] = [];
      const { store, clock, owe, start } = setUp(
        { slack },
        {
          onEvent: hearing(({ trouble, isNews }) => said.push([trouble?.reason ?? null, isNews])),
        },
      );
      await owe("n1", "slack");
      for (let i = 0; i < 5; i += 1) {
        const delivery = start();
        await delivery.idle();
        await clock.advance(4 * MINUTE);
        await delivery.stop();
      }
      expect(said).toEqual([
        ["no answer (ENOTFOUND)", true],
        ["no answer (ENOTFOUND)", false],
      ]);
      expect(troublesFromText(await store.mark(CHANNELS_MARK)).get("slack")).toMatchObject({
        since: START,
        told: true,
      });
      slack.script.length = 0;
      await start().idle();
      expect(said.slice(2)).toEqual([
        ["no answer (ENOTFOUND)", false],
        [null, true],
      ]);
      expect(troublesFromText(await store.mark(CHANNELS_MARK)).size).toBe(0);
    });

    it("is forgotten with the channel", async () => {
      const slack = scripted({ status: "parked", reason: "HTTP 410" });
      const { store, owe, start } = setUp({ slack });
      await owe("n1", "slack");
      const first = start();
      await first.idle();
      await first.stop();
      const others = setUp({ mail: scripted() }, { store });
      await others.start().idle();
      expect(troublesFromText(await store.mark(CHANNELS_MARK)).size).toBe(0);
    });
  });

  it("says once that a channel refuses, and once that it works again", async () => {
    const parked: Outcome = { status: "parked", reason: "HTTP 404" };
    const slack = scripted(parked, parked);
    const said: [string, string | null][] = [];
    const { clock, owe, start } = setUp(
      { slack },
      { onEvent: hearing(({ channel, trouble }) => said.push([channel, trouble?.reason ?? null])) },
    );
    await owe("n1", "slack");
    await start().idle();
    await clock.advance(10 * MINUTE);
    expect(said).toEqual([["slack", "HTTP 404"]]);
    await clock.advance(10 * MINUTE);
    expect(said).toEqual([
      ["slack", "HTTP 404"],
      ["slack", null],
    ]);
  });
});
