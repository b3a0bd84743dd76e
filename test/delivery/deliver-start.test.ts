import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import type { Channel } from "../../src/channels/channel.ts";
import { type Delivery, startDelivery } from "../../src/delivery/deliver.ts";
import { type Message, NO_CHANGE, type Notice, type Silence } from "../../src/model/index.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { noticeOf } from "../support/notices.ts";

const SECOND = 1_000;
const START = Date.UTC(2026, 10, 28, 12);
const running: Delivery[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((delivery) => delivery.stop()));
});

/** A channel for people and one for programs, both of which are told the same while a start goes on. */
function starting(groupWaitMs: number, silences: readonly Silence[] = []) {
  const store = { ...createMemoryStore(), silences: () => Promise.resolve(silences) };
  const clock = createFakeClock(START);
  const sent: Record<"people" | "program", Message[]> = { people: [], program: [] };
  const channel = (name: "people" | "program"): Channel => ({
    ...(name === "people" ? { digests: true } : {}),
    render: ({ headline }) => headline,
    send(message) {
      sent[name].push(message);
      return Promise.resolve({ status: "sent" });
    },
    close: () => Promise.resolve(),
  });
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const delivery = startDelivery({
    store,
    clock,
    log: pino({ level: "silent" }),
    channels: new Map([
      ["people", channel("people")],
      ["program", channel("program")],
    ]),
    groupWaitMs,
    begun,
  });
  running.push(delivery);
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 5; i += 1) await clock.advance(0);
  };
  return {
    clock,
    sent,
    settle,
    tell: async (id: string, more: Partial<Notice> = {}): Promise<void> => {
      const notice = noticeOf({ id, subject: id, ...more });
      await store.commit({ ...NO_CHANGE, notices: [{ notice, channels: Object.keys(sent) }] });
      delivery.poke();
      await settle();
    },
    /** Nobody pokes: what there is to tell was told of before. */
    begin: async (): Promise<void> => {
      begin();
      await settle();
    },
  };
}

const ids = (messages: readonly Message[]): (readonly string[])[] =>
  messages.map(({ notices }) => notices);

describe("what a start tells people", () => {
  it.each([0, 5 * SECOND])(
    "goes as one message to each channel, as soon as it is over, with group_wait %i ms",
    async (groupWaitMs) => {
      const { clock, sent, settle, tell, begin } = starting(groupWaitMs);
      // At first there is nothing.
      await settle();
      await tell("n1");
      await clock.advance(10 * SECOND);
      await tell("n2", { rule: "other" });
      await tell("n3", { kind: "started", rule: null, subject: null });
      expect(sent.people).toEqual([]);
      expect(ids(sent.program)).toEqual([["n1"], ["n2"], ["n3"]]);
      await begin();
      expect(ids(sent.people)).toEqual([["n1", "n2", "n3"]]);
    },
  );

  it("is one message also where it found hundreds", async () => {
    const { sent, tell, begin } = starting(5 * SECOND);
    for (let i = 0; i < 450; i += 1) await tell(`n${i}`);
    await begin();
    expect(sent.people.map(({ notices }) => notices.length)).toEqual([450]);
  });

  it("is grouped no more once it is told", async () => {
    const { sent, tell, begin } = starting(0);
    await tell("n1");
    await begin();
    await tell("n2");
    await tell("n3");
    expect(ids(sent.people)).toEqual([["n1"], ["n2"], ["n3"]]);
  });

  it("leaves later ones their time to wait where there was nothing", async () => {
    const { clock, sent, tell, begin } = starting(5 * SECOND);
    await begin();
    await tell("n1");
    expect(sent.people).toEqual([]);
    await clock.advance(5 * SECOND);
    expect(ids(sent.people)).toEqual([["n1"]]);
  });

  it("goes without what is silenced", async () => {
    const silence: Silence = {
      id: 1,
      rule: "my-range",
      subjects: null,
      labels: {},
      startsAt: START,
      endsAt: START + 60 * SECOND,
      author: "anna",
      comment: null,
      createdAt: START,
    };
    const { sent, tell, begin } = starting(0, [silence]);
    await tell("n1", { rule: "other" });
    await tell("n2");
    await tell("n3", { rule: "third" });
    await begin();
    expect(ids(sent.people)).toEqual([["n1", "n3"]]);
  });
});
