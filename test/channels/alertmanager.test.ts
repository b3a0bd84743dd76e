import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Secret } from "../../src/base/text.ts";
import { alertmanagerKind } from "../../src/channels/alertmanager.ts";
import {
  type AlertsBody,
  alertsBody,
  type PostedAlert,
} from "../../src/channels/alertmanager-alerts.ts";
import type { Channel, Outcome } from "../../src/channels/channel.ts";
import type { Notice } from "../../src/model/index.ts";
import { toolsOf } from "../support/channel-tools.ts";
import { messageOf, noticeOf } from "../support/notices.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { channelSuite } from "./channel-suite.ts";

const AT = "2026-11-27T15:06:00.000Z";
const DAY = 86_400_000;

function open(origin: string, limitMs = 10_000): Channel {
  const headers = { Authorization: new Secret("Bearer tokenword") };
  const read = alertmanagerKind.settings.parse({ url: `${origin}/am`, headers });
  return alertmanagerKind.open(read, toolsOf(limitMs));
}

channelSuite({
  kind: "alertmanager",
  open,
  path: "/am/api/v2/alerts",
  secrets: ["tokenword"],
  good: { status: 200, body: "" },
  refusal: '"start time must be before end time"',
  posted: (frozen) => (frozen as AlertsBody).alerts,
  expectLimits: (body) => expectLimits(body as AlertsBody),
  expectHarmless: (body) => expectHarmless(body as AlertsBody),
});

/**
 * Alertmanager names no sizes. Source: prometheus.io, "Data model" (names of labels) and "Alerts
 * API"; an alert without a label that is not empty, or that ends before it starts, is refused.
 */
function expectLimits({ alerts }: AlertsBody): void {
  for (const { labels, annotations, startsAt = "", endsAt } of alerts) {
    expect(labels.alertname?.length).toBeGreaterThan(0);
    for (const name of [...Object.keys(labels), ...Object.keys(annotations)]) {
      expect(name).toMatch(/^(?!__)[A-Za-z_][A-Za-z0-9_]*$/);
    }
    for (const value of Object.values(labels)) expect(value.length).toBeGreaterThan(0);
    for (const value of [...Object.values(labels), ...Object.values(annotations)]) {
      expect([...value].length).toBeLessThanOrEqual(1_000);
      expect(value.isWellFormed()).toBe(true);
    }
    if (endsAt !== undefined)
      expect(Date.parse(endsAt)).toBeGreaterThanOrEqual(Date.parse(startsAt));
  }
}

function expectHarmless({ alerts }: AlertsBody): void {
  for (const { labels, annotations, generatorURL = "https:" } of alerts) {
    expect(generatorURL).toMatch(/^https?:/);
    for (const value of [...Object.values(labels), ...Object.values(annotations)]) {
      expect(value).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  }
}

function alertsOf(more: Partial<Notice> = {}): readonly PostedAlert[] {
  return alertsBody(noticeOf(more), 30 * DAY).alerts;
}

describe("an alert in Alertmanager", () => {
  it("has rule, subject, severity and the rule's labels, and lasts until it is ended", () => {
    expect(alertsOf({ labels: { team: "lp" }, note: "Call Ann." })).toEqual([
      {
        labels: {
          alertname: "my-range",
          rule: "my-range",
          subject: "v4_position:1:dexa:42",
          severity: "warning",
          about: "alert",
          source: "tickwatch",
          team: "lp",
        },
        annotations: {
          summary: "🟠 Out of range: Treasury ETH/USDC. 2,310 > 2,250 USDC/ETH. Now all USDC",
          description: "Call Ann.",
          price: "2,310 USDC per ETH",
          chain: "Ethereum",
          notice: "0123456789abcdef",
        },
        startsAt: AT,
        endsAt: "2026-12-27T15:06:00.000Z",
        generatorURL: "https://etherscan.io/nft/0x0/42",
      },
    ]);
  });

  it("ends under the same labels when it is resolved", () => {
    const [fired] = alertsOf({ labels: { team: "lp" } });
    const [resolved] = alertsOf({ kind: "resolved", labels: { team: "lp" }, id: "b" });
    expect(resolved?.labels).toEqual(fired?.labels);
    expect(resolved?.endsAt).toBe(AT);
  });

  it("lasts longer with each reminder", () => {
    const later = noticeOf().at + 5 * DAY;
    expect(alertsOf({ kind: "reminder", at: later })[0]?.endsAt).toBe("2027-01-01T15:06:00.000Z");
  });

  it("has labels whose names Prometheus allows, and none of ours replaced", () => {
    const labels = {
      "a-b": "1",
      "a.b": "2",
      "9x": "3",
      __name__: "4",
      severity: "5",
      é: "6",
      x: "",
    };
    expect(alertsOf({ labels })[0]?.labels).toMatchObject({
      a_b: "1",
      a_b_2: "2",
      label_9x: "3",
      label___name__: "4",
      severity: "warning",
      label_severity: "5",
      label__: "6",
    });
    expect(alertsOf({ labels })[0]?.labels).not.toHaveProperty("x");
  });

  it("is one of its own where data is missing, and for each event, which ends by itself", () => {
    expect(alertsOf({ kind: "no_data" })[0]?.labels.about).toBe("no_data");
    const [event] = alertsOf({ kind: "changed" });
    expect(event?.labels).toMatchObject({ about: "event", event: "0123456789abcdef" });
    expect(event).not.toHaveProperty("endsAt");
    expect(alertsOf({ kind: "baseline" })).toEqual([]);
  });

  it("is there for each that fires with the start of its rule", () => {
    const firing = ["a", "b"].map((subject) => ({ subject, label: subject }));
    const started = alertsOf({ kind: "started", subject: null, firing });
    expect(started.map(({ labels }) => labels.subject)).toEqual(["a", "b"]);
  });

  it("ends for the daemon's own troubles, though their end is told with another severity", () => {
    const source = { rule: null, subject: "v4_pool", labels: {} } as const;
    const [down] = alertsOf({ ...source, kind: "source_down", severity: "warning" });
    const [up] = alertsOf({ ...source, kind: "source_up", severity: "info" });
    expect(up?.labels).toEqual(down?.labels);
    expect(down?.labels.alertname).toBe("tickwatch_source");
    expect(up?.endsAt).toBe(AT);
  });
});

describe("what Alertmanager knows under other labels", () => {
  let receiver: Receiver;
  let channel: Channel;

  beforeEach(async () => {
    receiver = await startReceiver();
    channel = open(receiver.origin);
  });

  afterEach(async () => {
    await channel.close();
    await receiver.close();
  });

  /** Answers a question with the list, and takes what is posted. */
  function list(status: number, body: string): void {
    receiver.answer((response) => {
      const asked = receiver.received.at(-1)?.body === "";
      response.writeHead(asked ? status : 200).end(asked ? body : "");
    });
  }

  const removed = { kind: "rule_removed", severity: "info", labels: {} } as const;
  const send = (more: Partial<Notice>): Promise<Outcome> =>
    channel.send(messageOf(channel.render(noticeOf(more))), new AbortController().signal);
  const posted = (): PostedAlert[] => JSON.parse(receiver.received[1]?.body ?? "") as PostedAlert[];

  it("is ended, too: a rule that is gone has no labels to tell", async () => {
    const [known] = alertsOf({ labels: { team: "lp" }, severity: "critical", at: 0 });
    const [other] = alertsOf({ subject: "v4_position:1:dexa:43" });
    const [changed] = alertsOf({ kind: "changed" });
    list(200, JSON.stringify([{ ...known, receivers: [], updatedAt: AT }, other, changed]));
    expect(await send(removed)).toEqual({ status: "sent" });
    const asked = new URL(receiver.received[0]?.path ?? "", "http://x");
    expect(asked.searchParams.getAll("filter")).toEqual([
      'alertname="my-range"',
      'subject="v4_position:1:dexa:42"',
    ]);
    expect(receiver.received[0]?.headers.authorization).toBe("Bearer tokenword");
    expect(posted().slice(2)).toEqual([
      {
        labels: known?.labels,
        annotations: known?.annotations,
        startsAt: "1970-01-01T00:00:00.000Z",
        endsAt: AT,
      },
    ]);
  });

  it("is not sent twice where the labels are those of now", async () => {
    list(200, JSON.stringify(alertsOf()));
    await send({ kind: "resolved" });
    expect(posted()).toHaveLength(1);
  });

  it.each([404, 405])("is let be where nothing is listed (%i)", async (status) => {
    list(status, "");
    expect(await send(removed)).toEqual({ status: "sent" });
    expect(posted()).toHaveLength(2);
  });

  it("is asked for again when the question fails", async () => {
    list(503, "");
    expect(await send(removed)).toEqual({ status: "retry", reason: "HTTP 503" });
    expect(receiver.received).toHaveLength(1);
  });

  it("is not asked for while an alert fires", async () => {
    await send({});
    expect(receiver.received).toHaveLength(1);
  });

  it("is asked for by names that hold quotes and backslashes", async () => {
    list(200, "[]");
    await send({ kind: "resolved", rule: 'a"b\\c' });
    const asked = new URL(receiver.received[0]?.path ?? "", "http://x");
    expect(asked.searchParams.get("filter")).toBe('alertname="a\\"b\\\\c"');
  });
});

describe("Alertmanager's settings", () => {
  it("have an address, headers that are secrets, and a time", () => {
    const given = {
      url: "http://am:9093/",
      headers: { Authorization: "Basic word" },
      expires: "7d",
    };
    const read = alertmanagerKind.settings.parse(given);
    expect(read).toMatchObject({ url: "http://am:9093", expires: 7 * DAY });
    expect(JSON.stringify(read)).not.toContain("Basic");
  });

  it.each([
    {},
    { url: "am:9093" },
    { url: "http://user:secretword@am:9093" },
    { url: "http://am:9093", expires: "1m" },
    { url: "http://am:9093", headers: { "bad name": "secretword" } },
    { url: "http://am:9093", receiver: "x" },
  ])("refuse %j without repeating a secret", (raw) => {
    const read = alertmanagerKind.settings.safeParse(raw);
    expect(read.success).toBe(false);
    expect(JSON.stringify(read.error?.issues)).not.toContain("secretword");
  });
});
