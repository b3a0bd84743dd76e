import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Secret } from "../../src/base/text.ts";
import type { Channel } from "../../src/channels/channel.ts";
import { webhookKind } from "../../src/channels/webhook.ts";
import { toolsOf } from "../support/channel-tools.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { messageOf, noticeOf } from "../support/notices.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { channelSuite } from "./channel-suite.ts";

const AT = Date.UTC(2026, 10, 27, 15, 6);

function open(settings: unknown, limitMs = 10_000): Channel {
  const read = webhookKind.settings.parse(settings);
  return webhookKind.open(read, toolsOf(limitMs, createFakeClock(AT)));
}

channelSuite({
  kind: "webhook",
  open: (origin, limitMs) => open({ url: `${origin}/hook/s3cretpath` }, limitMs),
  path: "/hook/s3cretpath",
  secrets: ["s3cretpath"],
  good: { status: 204, body: "" },
  refusal: "no such field",
  expectLimits: expectDocumented,
  expectHarmless: expectDocumented,
});

/** A program reads it: JSON holds any text, and how much there is of it is the program's affair. */
function expectDocumented(body: unknown): void {
  expect(body).toMatchObject({ version: 1, id: expect.stringMatching(/^[0-9a-f]{16}$/) });
}

describe("a webhook", () => {
  let receiver: Receiver;
  const going = new AbortController().signal;

  beforeEach(async () => {
    receiver = await startReceiver();
  });

  afterEach(async () => {
    await receiver.close();
  });

  it("posts the documented JSON, exact values as text", async () => {
    const channel = open({ url: receiver.origin });
    const value = {
      subject: "v4_pool:1:0xaa",
      metric: "amount1",
      quantity: "raw(token1)",
      value: "115792089237316195423570985008687907853",
      decimals: 18,
      unit: "USDC",
      op: "falls",
      limits: [],
      base: "115792089237316195423570985008687907854",
      baseAt: AT - 1,
    } as const;
    const body = channel.render(noticeOf({ values: [value], labels: { team: "lp" }, at: AT + 7 }));
    await channel.send(messageOf(body), going);
    await channel.close();
    expect(JSON.parse(receiver.received[0]?.body ?? "")).toEqual({
      version: 1,
      id: "0123456789abcdef",
      kind: "fired",
      severity: "warning",
      rule: "my-range",
      subject: "v4_position:1:dexa:42",
      at: "2026-11-27T15:06:00.007Z",
      headline: "🟠 Out of range: Treasury ETH/USDC. 2,310 > 2,250 USDC/ETH. Now all USDC",
      title: null,
      note: null,
      values: [
        {
          subject: "v4_pool:1:0xaa",
          metric: "amount1",
          quantity: "raw(token1)",
          value: "115792089237316195423570985008687907853",
          decimals: 18,
          unit: "USDC",
          op: "falls",
          limits: [],
          base: "115792089237316195423570985008687907854",
          base_at: "2026-11-27T15:05:59.999Z",
        },
      ],
      fields: [
        { name: "Price", value: "2,310 USDC per ETH" },
        { name: "Chain", value: "Ethereum" },
      ],
      range: {
        lower: "2,050",
        upper: "2,250",
        price: "2,310",
        unit: "USDC per ETH",
        lower_tick: -200_060,
        upper_tick: -199_130,
        inverted: false,
        tick: -198_870,
      },
      recent: ["1", "2", "3"],
      link: "https://etherscan.io/nft/0x0/42",
      labels: { team: "lp" },
    });
  });

  it("has the message's id as its idempotency key, the same on a retry", async () => {
    const channel = open({ url: receiver.origin });
    const message = messageOf(channel.render(noticeOf()), { id: "abc123" });
    await channel.send(message, going);
    await channel.send({ ...message, attempts: 2 }, going);
    await channel.close();
    const keys = receiver.received.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual(["abc123", "abc123"]);
    expect(receiver.received[0]?.headers["content-type"]).toBe("application/json");
    expect(receiver.received[0]?.headers["x-tickwatch-signature"]).toBeUndefined();
  });

  it("is signed so that a receiver can verify time and body", async () => {
    const channel = open({ url: receiver.origin, secret: new Secret("a-shared-key") });
    await channel.send(messageOf(channel.render(noticeOf({ note: "é 🦄" }))), going);
    await channel.close();
    const [first] = receiver.received;
    const body = first?.body ?? "";
    const header = String(first?.headers["x-tickwatch-signature"]);
    const [, time, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
    expect(time).toBe(String(AT / 1_000));
    const expected = createHmac("sha256", "a-shared-key").update(`${time}.${body}`).digest("hex");
    expect(mac).toBe(expected);
  });

  it("sends the user's headers, and its own over them", async () => {
    const headers = { Authorization: new Secret("Bearer abcdef"), "User-Agent": "mine" };
    const channel = open({ url: receiver.origin, headers });
    await channel.send(messageOf("{}"), going);
    await channel.close();
    expect(receiver.received[0]?.headers).toMatchObject({
      authorization: "Bearer abcdef",
      "user-agent": "mine",
      "content-type": "application/json",
    });
  });
});

describe("a webhook's settings", () => {
  const url = "https://alerts.example.org/hook";

  it("keep address, key and headers as secrets", () => {
    const read = webhookKind.settings.parse({ url, secret: "s3cret", headers: { "X-Key": "k3y" } });
    expect(JSON.stringify(read)).not.toMatch(/alerts|s3cret|k3y/);
  });

  it.each([
    [{}, /is missing/],
    [{ url: "ftp://alerts.example.org" }, /not an http or https address/],
    [{ url: "https://user:pw@alerts.example.org" }, /holds a user name or password/],
    [{ url, secret: "" }, /is empty/],
    [{ url, headers: "x" }, /is text/],
    [{ url, headers: { "bad name": "x" } }, /letters, digits and hyphens/],
    [{ url, headers: { "Content-Type": "x" } }, /set by tickwatch itself/],
    [{ url, headers: { "X-A": "x", "x-a": "y" } }, /duplicate header/],
    [
      { url, headers: { "X-A": "line\r\nInjected: 1" } },
      /character \d+ of the value is U\+[0-9A-F]{4}.*, which no header can hold/,
    ],
    [
      { url, headers: { "X-A": "€" } },
      /character \d+ of the value is U\+[0-9A-F]{4}.*, which no header can hold/,
    ],
    [{ url, headers: { "X-A": ["x"] } }, /is a list/],
    [{ url, method: "PUT" }, /method/],
  ])("refuse %j", (raw, message) => {
    const read = webhookKind.settings.safeParse(raw);
    const text = JSON.stringify(read.error?.issues);
    expect(text).toMatch(message);
    expect(text).not.toContain("pw@");
  });
});
