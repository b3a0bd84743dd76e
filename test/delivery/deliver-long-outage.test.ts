import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { Secret } from "../../src/base/text.ts";
import type { Channel, Outcome } from "../../src/channels/channel.ts";
import { emailKind } from "../../src/channels/email.ts";
import { emailSettings } from "../../src/channels/email-settings.ts";
import { slackKind } from "../../src/channels/slack.ts";
import { type Delivery, startDelivery } from "../../src/delivery/deliver.ts";
import { NO_CHANGE, type Notice } from "../../src/model/index.ts";
import type { Store } from "../../src/store/store.ts";
import { createMailbox } from "../crash/mailbox.ts";
import { toolsOf } from "../support/channel-tools.ts";
import { createFakeClock, type FakeClock } from "../support/fake-clock.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { noticeOf } from "../support/notices.ts";

const START = Date.UTC(2026, 10, 27, 15);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const log = pino({ level: "silent" });
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A channel's delivery on a clock that goes from one send to the next, however long each takes. */
class Outage {
  readonly store: Store = createMemoryStore();
  readonly clock: FakeClock = createFakeClock(START);
  readonly outcomes: Outcome["status"][] = [];
  readonly parked: (string | null)[] = [];
  readonly #delivery: Delivery;
  #ended = (): void => {};

  constructor(channel: Channel) {
    this.#delivery = startDelivery({
      store: this.store,
      channels: new Map([["it", channel]]),
      clock: this.clock,
      log,
      random: () => 0.5,
      groupWaitMs: 5_000,
      onEvent: (event) => {
        if (event.kind === "ended") {
          this.outcomes.push(event.status);
          this.#ended();
        } else if (event.kind === "trouble") this.parked.push(event.trouble?.reason ?? null);
      },
    });
    closing.push(() => channel.close());
    closing.push(() => this.#delivery.stop());
  }

  async owe(more: Partial<Notice>): Promise<void> {
    const notice = noticeOf({ at: this.clock.now(), ...more });
    await this.store.commit({ ...NO_CHANGE, notices: [{ notice, channels: ["it"] }] });
    this.#delivery.poke();
  }

  /** Lives on until `at`: whenever a send is due it is waited for. */
  async liveUntil(at: number): Promise<void> {
    while (this.clock.now() < at) {
      const ended = new Promise<void>((resolve) => {
        this.#ended = resolve;
      });
      await this.clock.advance(Math.min(MINUTE, at - this.clock.now()));
      const claim = await this.store.claim("it", this.clock.now());
      if (claim.kind === "message") await ended;
    }
  }

  async owed(): Promise<number> {
    return (await this.store.owed()).get("it") ?? 0;
  }
}

function listen(server: Server, port = 0): Promise<number> {
  return new Promise((resolve) => {
    server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

const FIRED: Partial<Notice> = { id: "f1", kind: "fired", headline: "🟠 Out of range: Treasury" };
const RESOLVED: Partial<Notice> = {
  id: "r1",
  kind: "resolved",
  headline: "🟢 Back in range: Treasury",
};

describe("a mail server that is gone for 24 hours", () => {
  it("is asked with patience, and then given everything within ten minutes, in order", async () => {
    const gone = createMailbox(() => "250 Taken");
    const port = await listen(gone);
    await closed(gone);
    const settings = emailSettings.parse({
      smtp: `smtp://127.0.0.1:${port}`,
      from: "tickwatch@example.org",
      to: ["lp@example.org"],
    });
    const outage = new Outage(emailKind.open(settings, { print: () => {}, colours: false }));
    await outage.owe(FIRED);
    await outage.liveUntil(START + HOUR);
    await outage.owe(RESOLVED);
    await outage.liveUntil(START + 2 * HOUR);
    await outage.owe({ ...FIRED, id: "f2", headline: "🟠 Out of range again: Treasury" });
    await outage.liveUntil(START + 24 * HOUR);
    expect(await outage.owed()).toBe(3);
    expect(new Set(outage.outcomes)).toEqual(new Set(["retry"]));
    // Every 7.5 minutes, by this chance, after some that come sooner.
    expect(outage.outcomes.length).toBeGreaterThan(24 * 6);
    expect(outage.outcomes.length).toBeLessThan(24 * 9);

    const mails: string[] = [];
    const back = createMailbox((mail) => {
      mails.push(mail);
      return "250 Taken";
    });
    await listen(back, port);
    closing.push(() => closed(back));
    await outage.liveUntil(START + 24 * HOUR + 11 * MINUTE);
    expect(await outage.owed()).toBe(0);
    // What was frozen goes as it was; what piled up behind it is one mail with the events' own times.
    expect(mails).toHaveLength(2);
    expect(mails[0]).toMatch(/Out of range: Treasury/);
    expect(mails[1]).toMatch(/2026-11-27 16:00[^]*Back in range[^]*17:00[^]*Out of range again/);
  });
});

describe("a Slack webhook that is revoked", () => {
  it("and mended hours later is told all that was queued, and asked six times an hour", async () => {
    let reply = (response: ServerResponse): void => void response.writeHead(404).end("no_service");
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        bodies.push(Buffer.concat(chunks).toString("utf8"));
        reply(response);
      });
    });
    const port = await listen(server);
    closing.push(() => {
      server.closeAllConnections();
      return closed(server);
    });
    const url = new Secret(`http://127.0.0.1:${port}/services/T0/B0/x`);
    const outage = new Outage(slackKind.open({ url }, toolsOf()));
    await outage.owe(FIRED);
    await outage.liveUntil(START + HOUR);
    await outage.owe(RESOLVED);
    await outage.liveUntil(START + 5 * HOUR);
    expect(outage.parked).toEqual([expect.stringContaining("no_service")]);
    expect(bodies.length).toBeLessThanOrEqual(5 * 6 + 1);
    expect(new Set(bodies).size).toBe(1);

    reply = (response) => void response.end("ok");
    await outage.liveUntil(START + 5 * HOUR + 12 * MINUTE);
    expect(await outage.owed()).toBe(0);
    expect(outage.parked).toHaveLength(2);
    expect(outage.parked[1]).toBe(null);
    expect(bodies.at(-2)).toBe(bodies[0]);
    expect(bodies.at(-1)).toContain("Back in range");
  });
});
