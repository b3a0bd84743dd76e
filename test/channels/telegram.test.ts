import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Secret } from "../../src/base/text.ts";
import type { Channel, Outcome } from "../../src/channels/channel.ts";
import {
  TELEGRAM_ROOM,
  type TelegramMessage,
  telegramKind,
  telegramMessage,
} from "../../src/channels/telegram.ts";
import { digestOf } from "../../src/delivery/digest/digest.ts";
import type { Notice } from "../../src/model/index.ts";
import { toolsOf } from "../support/channel-tools.ts";
import { messageOf, noticeOf } from "../support/notices.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { channelSuite } from "./channel-suite.ts";

const TOKEN = "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11";

function open(origin: string, more: Record<string, unknown> = {}, limitMs = 10_000): Channel {
  const given = { token: new Secret(TOKEN), chat_id: "-1001234567890", base_url: origin };
  return telegramKind.open(telegramKind.settings.parse({ ...given, ...more }), toolsOf(limitMs));
}

channelSuite({
  kind: "telegram",
  open: (origin, limitMs) => open(origin, {}, limitMs),
  path: `/bot${TOKEN}/sendMessage`,
  secrets: [TOKEN, "ABC-DEF1234"],
  good: { status: 200, body: '{"ok":true,"result":{"message_id":1}}' },
  refusal: '{"ok":false,"error_code":400,"description":"Bad Request: message is too long"}',
  posted: (frozen) => ({ ...(frozen as object), chat_id: "-1001234567890" }),
  expectLimits: (body) => expectLimits(body as TelegramMessage),
  expectHarmless: (body) => expectHarmless(body as TelegramMessage),
});

/**
 * Source: core.telegram.org, "Bot API": sendMessage (1 to 4,096 characters, trimmed at the ends) and
 * "Limits" of github.com/tdlib/telegram-bot-api (100 entities).
 */
function expectLimits({ text, entities }: TelegramMessage): void {
  expect(text.length).toBeGreaterThan(0);
  expect(text.length).toBeLessThanOrEqual(4_096);
  expect(text.isWellFormed()).toBe(true);
  expect(text.trim()).toBe(text);
  expect(entities.length).toBeLessThanOrEqual(100);
  let end = 0;
  for (const { offset, length } of entities) {
    expect(offset).toBeGreaterThanOrEqual(end);
    expect(length).toBeGreaterThan(0);
    end = offset + length;
  }
  expect(end).toBeLessThanOrEqual(text.length);
}

/** No text is mark-up, and outside the pictures nothing is made a link, a mention or a command. */
function expectHarmless(body: TelegramMessage): void {
  expect(body).not.toHaveProperty("parse_mode");
  let free = body.text;
  for (const { type, offset, length, url } of body.entities) {
    if (url !== undefined) expect(url).toMatch(/^https?:/);
    if (type === "pre")
      free = free.slice(0, offset) + " ".repeat(length) + free.slice(offset + length);
  }
  expect(free).not.toMatch(/@|:\/\/|[\p{L}\p{N}]\.\p{L}|(?:^|\s)\/\p{L}/u);
  expect(free.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
}

describe("a Telegram message", () => {
  const message = (more: Partial<Notice> = {}): TelegramMessage => telegramMessage(noticeOf(more));
  const part = (type: string, { text, entities }: TelegramMessage): string[] =>
    entities
      .filter((entity) => entity.type === type)
      .map(({ offset, length }) => text.slice(offset, offset + length));

  it("has the headline first and bold, then all there is to say", () => {
    const full = message({ title: "Mind the range", note: "Call Ann." });
    expect(full.text).toBe(
      [
        "🟠 Out of range: Treasury ETH/USDC. 2,310 > 2,250 USDC/ETH. Now all USDC",
        "",
        "Mind the range",
        "",
        "Call Ann.",
        "",
        "Price: 2,310 USDC per ETH",
        "Chain: Ethereum",
        "",
        "2,050 ├─────────────────────┤ 2,250  ● 2,310",
        "USDC per ETH",
        "",
        "▁▅█",
        "",
        "Block explorer",
        "",
        "Rule my-range · notice 0123456789abcdef",
      ].join("\n"),
    );
    expect(part("bold", full)).toEqual([noticeOf().headline]);
    expect(part("pre", full)[0]).toMatch(/^2,050 ├.*\nUSDC per ETH$/);
    expect(part("text_link", full)).toEqual(["Block explorer"]);
    expect(full.entities.at(-1)?.url).toBe("https://etherscan.io/nft/0x0/42");
    expect(full.link_preview_options).toEqual({ is_disabled: true });
  });

  it("makes look-alikes of what Telegram makes links of, and leaves numbers and names alone", () => {
    const shown = (note: string): string => message({ note }).text.split("\n\n")[1] ?? "";
    expect(shown("@admin see https://t.me/x or evil.example, /stop 1.2.3.4")).toBe(
      "＠admin see https꞉//t․me/x or evil․example, ∕stop 1․2․3․4",
    );
    expect(shown("my-range: -5.25 ETH/USDC at 0.05%, 2,310.27 <b>&amp;")).toBe(
      "my-range: -5.25 ETH/USDC at 0.05%, 2,310.27 <b>&amp;",
    );
  });

  it("counts what finds no place, and never cuts a digest of usual notices", () => {
    const fields = Array.from({ length: 60 }, (_, i) => ({
      name: `F${i}`,
      value: "x".repeat(300),
    }));
    const cut = message({ fields }).text;
    const listed = cut.split("\n").filter((line) => line.startsWith("F")).length;
    expect(cut).toContain(`\n… and ${60 - listed} more\n`);
    const headline = noticeOf().headline.padEnd(80, "x");
    const many = Array.from({ length: 19 }, (_, i) => noticeOf({ headline, rule: `rule-${i}` }));
    const digest = telegramMessage(digestOf(many, "d", TELEGRAM_ROOM)).text;
    expect(digest).not.toContain("more");
    for (const { rule } of many) expect(digest).toContain(`(${rule ?? ""})`);
  });
});

describe("Telegram's answers", () => {
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await startReceiver();
  });

  afterEach(() => receiver.close());

  async function send(
    status: number,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Outcome> {
    receiver.answer((response) => {
      response
        .writeHead(status, headers)
        .end(typeof body === "string" ? body : JSON.stringify(body));
    });
    const channel = open(receiver.origin);
    const outcome = await channel.send(
      messageOf(channel.render(noticeOf())),
      new AbortController().signal,
    );
    await channel.close();
    return outcome;
  }

  it("ask with 429 for a time in their body, the longer of two counting", async () => {
    const body = { ok: false, error_code: 429, parameters: { retry_after: 35 } };
    expect(await send(429, body)).toEqual({ status: "retry", reason: "HTTP 429", afterMs: 35_000 });
    expect(await send(429, body, { "retry-after": "5" })).toMatchObject({ afterMs: 35_000 });
    expect(await send(429, body, { "retry-after": "50" })).toMatchObject({ afterMs: 50_000 });
    for (const retry_after of [-1, "35", null, 1e12]) {
      expect(await send(429, { parameters: { retry_after } })).not.toHaveProperty("afterMs");
    }
  });

  it.each([
    [403, "Forbidden: bot was blocked by the user", "bot was blocked"],
    [403, "Forbidden: bot was kicked from the supergroup chat", "bot was kicked"],
    [400, "Bad Request: chat not found", "chat not found"],
    [400, "Bad Request: message thread not found", "message thread not found"],
    [400, "Bad Request: not enough rights to send text messages to the chat", "not enough rights"],
    [400, "Bad Request: TOPIC_CLOSED", "topic_closed"],
  ])("%i %s parks the channel", async (status, description, word) => {
    expect(await send(status, { ok: false, error_code: status, description })).toEqual({
      status: "parked",
      reason: `HTTP ${status}, ${word}`,
    });
  });

  it("say where a group has gone that became a supergroup", async () => {
    const description = "Bad Request: group chat was upgraded to a supergroup chat";
    const parameters = { migrate_to_chat_id: -1_009_876_543_210 };
    expect(await send(400, { ok: false, description, parameters })).toEqual({
      status: "parked",
      reason: "HTTP 400, the group has become a supergroup: its chat_id is now -1009876543210",
    });
  });

  it.each([401, 404])("%i, a wrong token, parks the channel", async (status) => {
    expect((await send(status, { ok: false, error_code: status })).status).toBe("parked");
  });

  it("count only with Telegram's own word, also when it is long", async () => {
    expect((await send(200, "")).status).toBe("retry");
    expect((await send(200, "welcome")).status).toBe("retry");
    expect((await send(200, { ok: false })).status).toBe("retry");
    const long = { ok: true, result: { text: "é".repeat(4_000) } };
    expect(await send(200, long)).toEqual({ status: "sent" });
  });

  it("go to the topic of a group where one is configured", async () => {
    const channel = open(receiver.origin, { message_thread_id: "42" });
    receiver.answer((response) => {
      response.end('{"ok":true}');
    });
    await channel.send(messageOf(channel.render(noticeOf())), new AbortController().signal);
    await channel.close();
    expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({ message_thread_id: 42 });
  });
});

describe("Telegram's settings", () => {
  const good = { token: TOKEN, chat_id: "-1001234567890" };

  it("keep the token a secret, and go to Telegram by default", () => {
    const read = telegramKind.settings.parse(good);
    expect(JSON.stringify(read)).not.toContain("ABC");
    expect(read.base_url).toBe("https://api.telegram.org");
  });

  it("leave time between messages: more in a group, whose limit is lower", () => {
    expect(open("http://127.0.0.1:1").gapMs).toBe(3_000);
    expect(open("http://127.0.0.1:1", { chat_id: "@lp_alerts" }).gapMs).toBe(3_000);
    expect(open("http://127.0.0.1:1", { chat_id: "42" }).gapMs).toBe(1_000);
  });

  it.each([
    { ...good, token: "" },
    { ...good, token: "bot123456:secretword" },
    { ...good, token: "123456:secretword/../getMe" },
    { ...good, chat_id: "lp-alerts" },
    { ...good, chat_id: "" },
    { ...good, message_thread_id: "0" },
    { ...good, base_url: "ftp://api.telegram.org" },
    { ...good, chat: "x" },
    { token: TOKEN },
  ])("refuse %j without repeating the secret", (raw) => {
    const read = telegramKind.settings.safeParse(raw);
    expect(read.success).toBe(false);
    expect(JSON.stringify(read.error?.issues)).not.toMatch(/secretword|DEF1234ghIkl/);
  });
});
