import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import type { Channel, Outcome } from "../../src/channels/channel.ts";
import { type Delivery, type DeliveryParts, startDelivery } from "../../src/delivery/deliver.ts";
import { troublesFromText, troublesToText } from "../../src/delivery/troubles.ts";
import { CHANNELS_MARK, NO_CHANGE } from "../../src/model/index.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { noticeOf } from "../support/notices.ts";

const START = Date.UTC(2026, 10, 27, 15);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const REJECTS: Outcome = { status: "parked", reason: "HTTP 404" };
const busy = (afterMs: number): Outcome => ({ status: "retry", reason: "HTTP 429", afterMs });
const told = (reason: string) => ({ since: START, reason, rejects: true, told: true });

/** A channel that answers from a list, then with `sent`. */
function scripted(...outcomes: (Outcome | Promise<Outcome>)[]): Channel {
  return {
    render: ({ id }) => `body of ${id}`,
    send: async () => (await outcomes.shift()) ?? { status: "sent" },
    close: () => Promise.resolve(),
  };
}

const channelsOf = (channels: Record<string, Channel>): ReadonlyMap<string, Channel> =>
  new Map(Object.entries(channels));

const running: Delivery[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((delivery) => delivery.stop()));
});

/** Deliveries on one store, what they say of troubles, and what is written down of them. */
function setUp() {
  const store = createMemoryStore();
  const clock = createFakeClock(START);
  const said: string[] = [];
  const note = async (troubles: Parameters<typeof troublesToText>[0]): Promise<void> => {
    const value = troublesToText(troubles);
    await store.commit({ ...NO_CHANGE, marks: [{ subject: CHANNELS_MARK, value }] });
  };
  return {
    store,
    clock,
    said,
    note,
    noted: async (): Promise<Record<string, string>> => {
      const found = [...troublesFromText(await store.mark(CHANNELS_MARK))];
      return Object.fromEntries(
        found.map(([name, { reason, rejects }]) => [name, rejects ? `rejects: ${reason}` : reason]),
      );
    },
    start: async (
      channels: Record<string, Channel>,
      more: Partial<DeliveryParts> = {},
    ): Promise<Delivery> => {
      const delivery = startDelivery({
        store,
        clock,
        log: pino({ level: "silent" }),
        random: () => 0,
        onEvent: (event) => {
          if (event.kind !== "trouble") return;
          said.push(`${event.channel} ${event.trouble?.reason ?? "works"}`);
        },
        ...more,
        channels: channelsOf(channels),
      });
      running.push(delivery);
      await delivery.idle();
      return delivery;
    },
    owe: async (id: string, ...channels: string[]): Promise<void> => {
      await store.commit({ ...NO_CHANGE, notices: [{ notice: noticeOf({ id }), channels }] });
    },
  };
}

describe("what is written down of a channel's trouble", () => {
  it("is nothing before a minute, also beside another one's", async () => {
    const { clock, owe, start, noted } = setUp();
    await owe("n1", "slack", "mail");
    await start({ slack: scripted(busy(HOUR)), mail: scripted(REJECTS) });
    expect(await noted()).toEqual({ mail: "rejects: HTTP 404" });
    await clock.advance(MINUTE - 1);
    expect(await noted()).toEqual({ mail: "rejects: HTTP 404" });
    // However long its retry waits.
    await clock.advance(1);
    expect(await noted()).toEqual({ slack: "HTTP 429", mail: "rejects: HTTP 404" });
  });

  it("is what it says now", async () => {
    const { clock, owe, start, noted } = setUp();
    await owe("n1", "slack");
    await start({
      slack: scripted(
        REJECTS,
        { status: "parked", reason: "HTTP 403" },
        { status: "retry", reason: "HTTP 403", afterMs: HOUR },
      ),
    });
    expect(await noted()).toEqual({ slack: "rejects: HTTP 404" });
    await clock.advance(10 * MINUTE);
    expect(await noted()).toEqual({ slack: "rejects: HTTP 403" });
    await clock.advance(10 * MINUTE);
    expect(await noted()).toEqual({ slack: "HTTP 403" });
  });

  it("goes with the channel", async () => {
    const { owe, start, noted } = setUp();
    await owe("n1", "slack");
    const delivery = await start({ slack: scripted(REJECTS) });
    await delivery.follow({ channels: new Map() });
    expect(await noted()).toEqual({});
  });

  it("is told of after a quarter of an hour, also where the clock was set back meanwhile", async () => {
    const { clock, owe, note, start, said } = setUp();
    const trouble = { since: START + HOUR, reason: "HTTP 429", rejects: false, told: false };
    await note(new Map([["slack", trouble]]));
    await owe("n1", "slack");
    await start({ slack: scripted(busy(2 * HOUR)) });
    await clock.advance(15 * MINUTE);
    expect(said).toEqual(["slack HTTP 429"]);
  });
});

describe("troubles of channels that other daemons deliver to", () => {
  it("stay as those have written them down, and no others", async () => {
    const { clock, owe, note, start, noted } = setUp();
    await note(new Map([["mail", told("HTTP 500")]]));
    await owe("n1", "slack");
    await start({ slack: scripted(REJECTS) }, { elsewhere: new Set(["mail"]) });
    expect(await noted()).toEqual({ mail: "rejects: HTTP 500", slack: "rejects: HTTP 404" });
    await clock.advance(10 * MINUTE);
    expect(await noted()).toEqual({ mail: "rejects: HTTP 500" });
  });

  it("are left to who takes a channel over, and read anew when it comes back", async () => {
    const { owe, note, start, said, noted } = setUp();
    const slack = scripted(REJECTS);
    const mail = scripted(REJECTS);
    await owe("n1", "slack");
    const delivery = await start({ slack, mail });
    expect(said).toEqual(["slack HTTP 404"]);
    await delivery.follow({ channels: channelsOf({ mail }), elsewhere: new Set(["slack"]) });
    // There it works again.
    await note(new Map());
    await owe("n2", "mail");
    delivery.poke();
    await delivery.idle();
    expect(await noted()).toEqual({ mail: "rejects: HTTP 404" });
    await delivery.follow({ channels: channelsOf({ slack, mail }) });
    await delivery.idle();
    expect(said).toEqual(["slack HTTP 404", "mail HTTP 404"]);
  });

  it("are not said again of a channel that comes back before its last send has ended", async () => {
    const { clock, owe, start, said } = setUp();
    let answer: (outcome: Outcome) => void = () => {};
    const last = new Promise<Outcome>((resolve) => {
      answer = resolve;
    });
    await owe("n1", "slack");
    const slack = scripted(REJECTS, last);
    const delivery = await start({ slack });
    await clock.advance(10 * MINUTE);
    const gone = delivery.follow({ channels: new Map(), elsewhere: new Set(["slack"]) });
    const back = delivery.follow({ channels: channelsOf({ slack }) });
    answer({ status: "sent" });
    await Promise.all([gone, back]);
    expect(said).toEqual(["slack HTTP 404", "slack works"]);
  });

  it("stay known where several channels are taken over at once", async () => {
    const { start, note, noted, said } = setUp();
    await note(new Map([["mail", told("HTTP 500")]]));
    const delivery = await start({}, { elsewhere: new Set(["slack", "mail"]) });
    await delivery.follow({ channels: channelsOf({ slack: scripted(), mail: scripted() }) });
    await delivery.idle();
    expect(said).toEqual(["mail HTTP 500"]);
    expect(await noted()).toEqual({ mail: "rejects: HTTP 500" });
  });
});
