import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Secret } from "../../src/base/text.ts";
import type { Channel } from "../../src/channels/channel.ts";
import {
  type PagerdutyEvent,
  pagerdutyEvents,
  pagerdutyKind,
} from "../../src/channels/pagerduty.ts";
import type { Notice } from "../../src/model/index.ts";
import { toolsOf } from "../support/channel-tools.ts";
import { messageOf, noticeOf } from "../support/notices.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { channelSuite } from "./channel-suite.ts";

const KEY = "R0ABCDEF0123456789SECRETKEY00000";

function open(origin: string, limitMs = 10_000): Channel {
  const given = { routing_key: new Secret(KEY), base_url: origin };
  return pagerdutyKind.open(pagerdutyKind.settings.parse(given), toolsOf(limitMs));
}

interface Frozen {
  readonly events: readonly PagerdutyEvent[];
}

channelSuite({
  kind: "pagerduty",
  open,
  path: "/v2/enqueue",
  secrets: [KEY],
  good: { status: 202, body: '{"status":"success","message":"Event processed","dedup_key":"x"}' },
  refusal: '{"status":"invalid event","message":"Event object is invalid","errors":["no summary"]}',
  posted: (frozen) => ({ ...(frozen as Frozen).events[0], routing_key: KEY }),
  expectLimits: (body) => expectLimits(body as Frozen),
  expectHarmless: (body) => expectHarmless(body as Frozen),
});

/**
 * Source: developer.pagerduty.com, "Send an Alert Event" (dedup_key 255 characters, summary 1,024)
 * and "Events API v2 Overview" (512 KB an event).
 */
function expectLimits({ events }: Frozen): void {
  for (const event of events) {
    expect(event.dedup_key).toMatch(/^tickwatch-[0-9a-f]{32}$/);
    expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThanOrEqual(512_000);
    if (event.event_action === "resolve") continue;
    const { summary, source, severity, timestamp } = event.payload;
    expect(summary.length).toBeGreaterThan(0);
    expect(summary.length).toBeLessThanOrEqual(1_024);
    expect(summary.isWellFormed()).toBe(true);
    expect(source.length).toBeGreaterThan(0);
    expect(["critical", "error", "warning", "info"]).toContain(severity);
    expect(new Date(timestamp).toISOString()).toBe(timestamp);
  }
}

/** It is shown as plain text, in which nothing turns or hides, and leads nowhere but to the web. */
function expectHarmless({ events }: Frozen): void {
  for (const event of events) {
    if (event.event_action === "resolve") continue;
    for (const { href } of event.links) expect(href).toMatch(/^https?:/);
    const { summary, source, custom_details } = event.payload;
    for (const text of [summary, source, ...Object.entries(custom_details).flat()]) {
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  }
}

/** What happens to which key. */
function actions(more: Partial<Notice>): string[] {
  return pagerdutyEvents(noticeOf(more)).map(
    ({ event_action, dedup_key }) => `${event_action} ${dedup_key}`,
  );
}

const [ALERT = ""] = pagerdutyEvents(noticeOf()).map(({ dedup_key }) => dedup_key);
const [BLIND = ""] = pagerdutyEvents(noticeOf({ kind: "no_data" })).map((one) => one.dedup_key);

describe("PagerDuty events", () => {
  it("say what fired, with the facts of the notice", () => {
    expect(pagerdutyEvents(noticeOf({ note: "Call Ann.", labels: { team: "lp" } }))).toEqual([
      {
        event_action: "trigger",
        dedup_key: ALERT,
        client: "tickwatch",
        links: [{ href: "https://etherscan.io/nft/0x0/42", text: "Block explorer" }],
        payload: {
          summary: "🟠 Out of range: Treasury ETH/USDC. 2,310 > 2,250 USDC/ETH. Now all USDC",
          source: "v4_position:1:dexa:42",
          severity: "warning",
          timestamp: "2026-11-27T15:06:00.000Z",
          component: "v4_position:1:dexa:42",
          group: "my-range",
          class: "fired",
          custom_details: {
            Note: "Call Ann.",
            Price: "2,310 USDC per ETH",
            Chain: "Ethereum",
            "label team": "lp",
            Notice: "0123456789abcdef, 2026-11-27T15:06:00.000Z",
          },
        },
      },
    ]);
  });

  it.each(["fired", "worse", "reminder", "flapping", "steady"] as const)(
    "%s triggers the alert of its rule and subject, whatever else is told",
    (kind) => {
      const other = { id: "other", at: 5, severity: "critical", labels: { a: "b" } } as const;
      expect(actions({ kind, ...other })).toEqual([`trigger ${ALERT}`]);
      expect(actions({ kind, rule: "other" })).not.toEqual([`trigger ${ALERT}`]);
      expect(actions({ kind, subject: "other" })).not.toEqual([`trigger ${ALERT}`]);
    },
  );

  it("resolves what is over, and what is no longer watched", () => {
    expect(actions({ kind: "resolved" })).toEqual([`resolve ${ALERT}`]);
    expect(actions({ kind: "rule_removed", severity: "info" })).toEqual([
      `resolve ${ALERT}`,
      `resolve ${BLIND}`,
    ]);
  });

  it("keeps apart that an alert fires and that it is blind", () => {
    expect(BLIND).not.toBe(ALERT);
    expect(actions({ kind: "data_back" })).toEqual([`resolve ${BLIND}`]);
    expect(actions({ kind: "flapping", gaps: true })).toEqual([`trigger ${BLIND}`]);
    expect(actions({ kind: "steady", gaps: true })).toEqual([`trigger ${BLIND}`]);
  });

  it("triggers each alert that fires with the start of its rule, and nothing for a quiet start", () => {
    const firing = [
      { subject: "v4_position:1:dexa:42", label: "Treasury ETH/USDC" },
      { subject: "v4_position:1:dexa:43", label: "Other" },
    ];
    const events = pagerdutyEvents(noticeOf({ kind: "started", subject: null, firing }));
    expect(events.map(({ dedup_key }) => dedup_key)[0]).toBe(ALERT);
    expect(events.map((one) => "payload" in one && one.payload.summary)).toEqual([
      "Firing when watching began: Treasury ETH/USDC (my-range)",
      "Firing when watching began: Other (my-range)",
    ]);
    expect(actions({ kind: "started", subject: null })).toEqual([]);
  });

  it("makes each event that has no state an alert of its own, unless it is mere information", () => {
    const [first, second] = [actions({ kind: "changed" }), actions({ kind: "changed", id: "b" })];
    expect(first).toEqual([expect.stringMatching(/^trigger /)]);
    expect(second).not.toEqual(first);
    expect(actions({ kind: "changed", severity: "info" })).toEqual([]);
    expect(actions({ kind: "baseline" })).toEqual([]);
  });

  it("triggers for the daemon's own troubles and resolves them", () => {
    const source = { rule: null, subject: "v4_pool" } as const;
    const [down = ""] = actions({ ...source, kind: "source_down" });
    expect(actions({ ...source, kind: "source_up", severity: "info" })).toEqual([
      down.replace("trigger", "resolve"),
    ]);
    const self = { kind: "self", rule: null, subject: "channel:ops" } as const;
    const [trouble = ""] = actions(self);
    expect(trouble).toMatch(/^trigger /);
    expect(actions({ ...self, severity: "info" })).toEqual([trouble.replace("trigger", "resolve")]);
    expect(actions({ ...self, subject: null })).toEqual([expect.stringMatching(/^trigger /)]);
  });
});

describe("a PagerDuty channel", () => {
  let receiver: Receiver;
  let channel: Channel;
  const going = new AbortController().signal;

  beforeEach(async () => {
    receiver = await startReceiver();
    channel = open(receiver.origin);
  });

  afterEach(async () => {
    await channel.close();
    await receiver.close();
  });

  /** Answers with each status once, and with 202 after that. */
  function answerInTurn(...turns: readonly (readonly [status: number, body?: string])[]): void {
    let count = 0;
    receiver.answer((response) => {
      const [status, body = "{}"] = turns[count] ?? [202];
      count += 1;
      response.writeHead(status).end(body);
    });
  }

  const start = (): string => {
    const firing = ["a", "b", "c", "d"].map((subject) => ({ subject, label: subject }));
    return channel.render(noticeOf({ kind: "started", subject: null, firing }));
  };

  const sources = (): unknown[] =>
    receiver.received.map(
      ({ body }) => (JSON.parse(body) as { payload: { source: string } }).payload.source,
    );

  it("sends nothing for what needs nobody, and counts that as sent", async () => {
    const body = channel.render(noticeOf({ kind: "baseline" }));
    expect(await channel.send(messageOf(body), going)).toEqual({ status: "sent" });
    expect(receiver.received).toHaveLength(0);
  });

  it("goes on after a limit where it stopped", async () => {
    const message = messageOf(start());
    answerInTurn([202], [202], [429]);
    expect((await channel.send(message, going)).status).toBe("retry");
    answerInTurn();
    expect(await channel.send({ ...message, attempts: 2 }, going)).toEqual({ status: "sent" });
    expect(sources()).toEqual(["a", "b", "c", "c", "d"]);
  });

  it("sends the other events of a message when one is refused, and says so", async () => {
    answerInTurn([202], [400], [202], [503]);
    const message = messageOf(start());
    expect((await channel.send(message, going)).status).toBe("retry");
    answerInTurn();
    expect(await channel.send(message, going)).toEqual({ status: "dead", reason: "HTTP 400" });
    expect(sources()).toEqual(["a", "b", "c", "d", "d"]);
  });

  it("is parked when its key is refused", async () => {
    const errors = [`Length of 'routing_key' is incorrect: ${KEY}`];
    answerInTurn([400, JSON.stringify({ status: "invalid event", errors })]);
    const message = messageOf(channel.render(noticeOf()));
    expect(await channel.send(message, going)).toEqual({
      status: "parked",
      reason: "HTTP 400, the routing key is refused",
    });
  });
});

describe("PagerDuty's settings", () => {
  it("keep the key a secret, and go to PagerDuty by default", () => {
    const read = pagerdutyKind.settings.parse({ routing_key: KEY });
    expect(JSON.stringify(read)).not.toContain("SECRET");
    expect(read.base_url).toBe("https://events.pagerduty.com");
  });

  it.each([
    {},
    { routing_key: "" },
    { routing_key: "secretword with spaces" },
    { routing_key: KEY, base_url: "events.pagerduty.com" },
    { routing_key: KEY, service: "x" },
  ])("refuse %j without repeating the secret", (raw) => {
    const read = pagerdutyKind.settings.safeParse(raw);
    expect(read.success).toBe(false);
    expect(JSON.stringify(read.error?.issues)).not.toMatch(/secretword|SECRETKEY/);
  });
});
