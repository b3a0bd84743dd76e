import { setImmediate as turn } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import type { Channel, Outcome } from "../../src/channels/channel.ts";
import { type Delivery, type Receivers, startDelivery } from "../../src/delivery/deliver.ts";
import { troublesFromText } from "../../src/delivery/troubles.ts";
import { CHANNELS_MARK, type Message, NO_CHANGE } from "../../src/model/index.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { noticeOf } from "../support/notices.ts";

const SECOND = 1_000;

interface Recorded extends Channel {
  readonly sent: Message[];
}

/** A channel that answers by `outcome`, at once unless that waits. */
function recorded(
  outcome: () => Outcome | Promise<Outcome> = () => ({ status: "sent" }),
): Recorded {
  const sent: Message[] = [];
  return {
    sent,
    render: ({ id }) => `body of ${id}`,
    async send(message) {
      sent.push(message);
      return await outcome();
    },
    close: () => Promise.resolve(),
  };
}

/** A channel that answers when the test says so. */
function waiting(): { readonly channel: Recorded; readonly answer: (outcome: Outcome) => void } {
  let resolveLast: (outcome: Outcome) => void = () => {};
  const channel = recorded(
    () =>
      new Promise((resolve) => {
        resolveLast = resolve;
      }),
  );
  return { channel, answer: (outcome) => resolveLast(outcome) };
}

const to = (
  channels: Record<string, Channel>,
  more: Omit<Receivers, "channels"> = {},
): Receivers => ({
  channels: new Map(Object.entries(channels)),
  ...more,
});

const running: Delivery[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((delivery) => delivery.stop()));
});

function start(receivers: Receivers, log = pino({ level: "silent" })) {
  const store = createMemoryStore();
  const clock = createFakeClock(Date.UTC(2026, 10, 28, 12));
  const delivery = startDelivery({ ...receivers, store, clock, log, random: () => 0 });
  running.push(delivery);
  return {
    delivery,
    store,
    clock,
    owe: async (id: string, ...names: string[]): Promise<void> => {
      await store.commit({
        ...NO_CHANGE,
        notices: [{ notice: noticeOf({ id }), channels: names }],
      });
      delivery.poke();
    },
  };
}

const idsOf = (channel: Recorded): string[] => channel.sent.flatMap(({ notices }) => notices);

describe("a delivery whose receivers change", () => {
  it("goes on undisturbed with a channel that is the same, its waits included", async () => {
    const stays = recorded(() => ({ status: "retry", reason: "HTTP 500", afterMs: 60 * SECOND }));
    const { delivery, owe, clock } = start(to({ stays }));
    await owe("n1", "stays");
    await delivery.idle();
    expect(stays.sent).toHaveLength(1);
    await delivery.follow(to({ stays, more: recorded() }));
    await delivery.idle();
    await clock.advance(30 * SECOND);
    expect(stays.sent).toHaveLength(1);
    await clock.advance(40 * SECOND);
    await delivery.idle();
    expect(stays.sent).toHaveLength(2);
  });

  it("begins with one that is new, which gets what is queued for its name", async () => {
    const { delivery, owe } = start(to({ old: recorded() }));
    await owe("n1", "late");
    const late = recorded();
    await delivery.follow(to({ old: recorded(), late }));
    await delivery.idle();
    expect(idsOf(late)).toEqual(["n1"]);
  });

  it("ends one that is gone after the message in flight, and keeps its queue", async () => {
    const { channel: gone, answer } = waiting();
    const { delivery, owe, store } = start(to({ gone }));
    await owe("n1", "gone");
    while (gone.sent.length === 0) await turn();
    await owe("n2", "gone");
    let isOver = false;
    const over = delivery.follow(to({})).then(() => {
      isOver = true;
    });
    await turn();
    expect(isOver).toBe(false);
    answer({ status: "sent" });
    await over;
    expect(idsOf(gone)).toEqual(["n1"]);
    expect(await store.owed()).toEqual(new Map([["gone", 1]]));
  });

  it("lets another channel of the same name begin when the one before it has ended, and never both", async () => {
    const { channel: first, answer } = waiting();
    const second = recorded();
    const third = recorded();
    const { delivery, owe } = start(to({ slack: first }));
    await owe("n1", "slack");
    while (first.sent.length === 0) await turn();
    await owe("n2", "slack");
    const one = delivery.follow(to({ slack: second }));
    const none = delivery.follow(to({}));
    const two = delivery.follow(to({ slack: third }));
    answer({ status: "sent" });
    await Promise.all([one, none, two]);
    await delivery.idle();
    expect([first, second, third].map(idsOf)).toEqual([["n1"], [], ["n2"]]);
  });

  it("begins with none of them once it is to stop", async () => {
    const { channel: first, answer } = waiting();
    const second = recorded();
    const { delivery, owe } = start(to({ slack: first }));
    await owe("n1", "slack");
    while (first.sent.length === 0) await turn();
    await owe("n2", "slack");
    const followed = delivery.follow(to({ slack: second }));
    const stopped = delivery.stop();
    answer({ status: "sent" });
    await Promise.all([followed, stopped]);
    for (let i = 0; i < 20; i += 1) await turn();
    expect([first, second].map(idsOf)).toEqual([["n1"], []]);
  });

  it("says what is queued for nobody: at a notice, and anew each time that its channel is gone", async () => {
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const slack = recorded(() => ({ status: "retry", reason: "HTTP 500" }));
    const { delivery, owe } = start(to({ slack }), log);
    const strangers = (): string[] =>
      lines
        .map((line) => JSON.parse(line) as { readonly channel?: string; readonly msg: string })
        .filter(({ msg }) => msg === "notices are queued for a channel that is not configured")
        .map(({ channel }) => channel ?? "");
    await owe("n1", "slack");
    delivery.poke("gone");
    delivery.poke("gone");
    expect(strangers()).toEqual(["gone"]);
    for (let i = 0; i < 2; i += 1) {
      await delivery.follow(to({}));
      await delivery.follow(to({ slack }));
    }
    expect(strangers()).toEqual(["gone", "slack", "slack"]);
  });

  it("tries at once through a corrected channel, and forgets the trouble of one that is gone", async () => {
    const parked = recorded(() => ({ status: "parked", reason: "HTTP 404" }));
    const other = recorded(() => ({ status: "parked", reason: "HTTP 403" }));
    const { delivery, owe, store } = start(to({ slack: parked, other }));
    await owe("n1", "slack", "other");
    await delivery.idle();
    const troubles = async () =>
      [...troublesFromText(await store.mark(CHANNELS_MARK)).keys()].toSorted();
    expect(await troubles()).toEqual(["other", "slack"]);
    const corrected = recorded();
    await delivery.follow(to({ slack: corrected }));
    await delivery.idle();
    expect(idsOf(corrected)).toEqual(["n1"]);
    expect(await troubles()).toEqual([]);
  });

  it("tells times in the new zone of a channel that is the same", async () => {
    const slack: Recorded = { ...recorded(), render: ({ note }) => note ?? "" };
    const { delivery, store } = start(to({ slack }));
    const tell = async (id: string): Promise<void> => {
      const notice = noticeOf({ id, note: "Since 2026-11-28 12:00 UTC" });
      await store.commit({ ...NO_CHANGE, notices: [{ notice, channels: ["slack"] }] });
      delivery.poke();
      await delivery.idle();
    };
    await tell("n1");
    await delivery.follow(to({ slack }, { zones: new Map([["slack", "Asia/Tokyo"]]) }));
    await tell("n2");
    const [first, second] = slack.sent.map(({ body }) => body);
    expect(first).toBe("Since 2026-11-28 12:00 UTC");
    expect(second).toContain("21:00");
  });

  it("waits for others by the new time", async () => {
    const people = { ...recorded(), digests: true as const };
    const { delivery, owe, clock } = start(to({ people }, { groupWaitMs: 5 * SECOND }));
    await delivery.follow(to({ people }, { groupWaitMs: 60 * SECOND }));
    await owe("n1", "people");
    await clock.advance(30 * SECOND);
    expect(people.sent).toHaveLength(0);
    await clock.advance(31 * SECOND);
    await delivery.idle();
    expect(people.sent).toHaveLength(1);
  });
});
