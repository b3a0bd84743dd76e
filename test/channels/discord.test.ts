import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Secret } from "../../src/base/text.ts";
import type { Outcome } from "../../src/channels/channel.ts";
import {
  DISCORD_ROOM,
  type DiscordMessage,
  discordKind,
  discordMessage,
} from "../../src/channels/discord.ts";
import { digestOf } from "../../src/delivery/digest/digest.ts";
import { toolsOf } from "../support/channel-tools.ts";
import { messageOf, noticeOf } from "../support/notices.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { channelSuite } from "./channel-suite.ts";

const PATH = "/api/webhooks/998877/hooktokenhook";

channelSuite({
  kind: "discord",
  open: (origin, limitMs) =>
    discordKind.open({ url: new Secret(`${origin}${PATH}`) }, toolsOf(limitMs)),
  path: `${PATH}?wait=true`,
  secrets: ["998877", "hooktokenhook"],
  good: { status: 200, body: '{"id":"1","type":0}' },
  refusal: '{"message":"Invalid Form Body","code":50035}',
  expectLimits: (body) => expectLimits(body as DiscordMessage),
  expectHarmless: (body) => expectHarmless(body as DiscordMessage),
});

/**
 * Source: docs.discord.com, "Message Resource", Embed Limits (title 256, description 4,096, 25
 * fields of 256 and 1,024, footer 2,048, 6,000 in all) and "Webhook Resource", Execute Webhook
 * (content of 2,000).
 */
function expectLimits({ content, embeds, allowed_mentions }: DiscordMessage): void {
  expect(content.length).toBeGreaterThan(0);
  expect(content.length).toBeLessThanOrEqual(2_000);
  const [{ title, description, fields, footer }] = embeds;
  expect(title?.length ?? 1).toBeGreaterThan(0);
  expect(title?.length ?? 0).toBeLessThanOrEqual(256);
  expect(description?.length ?? 1).toBeGreaterThan(0);
  expect(description?.length ?? 0).toBeLessThanOrEqual(4_096);
  expect(fields.length).toBeLessThanOrEqual(25);
  for (const { name, value } of fields) {
    expect(name.trim().length).toBeGreaterThan(0);
    expect(name.length).toBeLessThanOrEqual(256);
    expect(value.trim().length).toBeGreaterThan(0);
    expect(value.length).toBeLessThanOrEqual(1_024);
  }
  expect(footer.text.length).toBeLessThanOrEqual(2_048);
  const texts = [title ?? "", description ?? "", footer.text];
  for (const { name, value } of fields) texts.push(name, value);
  expect(texts.join("").length).toBeLessThanOrEqual(6_000);
  for (const text of [content, ...texts]) expect(text.isWellFormed()).toBe(true);
  expect(allowed_mentions).toEqual({ parse: [] });
}

/** Nothing mentions, formats, hides or links, but for our own code blocks and link. */
function expectHarmless({ content, embeds }: DiscordMessage): void {
  const [{ title = "", description = "", fields }] = embeds;
  const own = description
    .replace(/```\n[^`]*\n```/g, "")
    .replace(/\[Block explorer\]\(<https?:[^<>()]*>\)/g, "");
  const texts = [content, title, own, ...fields.flatMap(({ name, value }) => [name, value])];
  for (const text of texts) {
    expect(text).not.toMatch(/[*~`|\\@]|<\S|:\/\/|\]\(|:[a-z+]+:/i);
    expect(text).not.toMatch(/^[#>]|^[-+] /m);
    expect(text).not.toMatch(/(?<![\p{L}\p{N}])_|__/u);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
}

describe("a Discord message", () => {
  it("has the headline as its content, and everything else in an embed", () => {
    const message = discordMessage(noticeOf({ title: "Mind the range", note: "Call Ann." }));
    expect(message).toEqual({
      content: "🟠 Out of range: Treasury ETH/USDC. 2,310 > 2,250 USDC/ETH. Now all USDC",
      embeds: [
        {
          title: "Mind the range",
          description: [
            "Call Ann.",
            "```",
            "2,050 ├─────────────────────┤ 2,250  ● 2,310",
            "USDC per ETH",
            "```",
            "```",
            "▁▅█",
            "```",
            "[Block explorer](<https://etherscan.io/nft/0x0/42>)",
          ].join("\n"),
          color: 0xe8830c,
          timestamp: "2026-11-27T15:06:00.000Z",
          fields: [
            { name: "Price", value: "2,310 USDC per ETH", inline: true },
            { name: "Chain", value: "Ethereum", inline: true },
          ],
          footer: { text: "Rule my-range · notice 0123456789abcdef" },
        },
      ],
      allowed_mentions: { parse: [] },
    });
  });

  it("makes look-alikes of mark-up, and leaves numbers, names and times alone", () => {
    const shown = (headline: string): string => discordMessage(noticeOf({ headline })).content;
    expect(shown("@everyone **b** ||s|| [USDC](https://evil.example) <@1> <t:0:R> :smile:")).toBe(
      "＠everyone ∗∗b∗∗ ∣∣s∣∣ [USDC] (https꞉//evil.example) ＜＠1> ＜t:0:R> ꞉smile꞉",
    );
    expect(shown("# big")).toBe("＃ big");
    expect(shown("- item")).toBe("‐ item");
    expect(shown("-18% my_rule at 14:00-15:00 UTC, 2 < 3.5 > 1")).toBe(
      "-18% my_rule at 14:00-15:00 UTC, 2 < 3.5 > 1",
    );
  });

  it("counts the fields that find no place, and never cuts a digest of usual notices", () => {
    const many = Array.from({ length: 60 }, (_, i) => ({ name: `F${i}`, value: "1" }));
    const [{ fields }] = discordMessage(noticeOf({ fields: many })).embeds;
    expect(fields).toHaveLength(25);
    expect(fields.at(-1)).toEqual({ name: "More", value: "and 36 more", inline: false });
    const long = many.slice(0, 25).map(({ name }) => ({ name, value: "x".repeat(900) }));
    const [{ fields: fewer }] = discordMessage(noticeOf({ fields: long })).embeds;
    expect(fewer.at(-1)?.value).toBe(`and ${25 - fewer.length + 1} more`);
    const headline = noticeOf().headline.padEnd(80, "x");
    const told = Array.from({ length: 40 }, (_, i) => noticeOf({ headline, rule: `rule-${i}` }));
    const [digest] = discordMessage(digestOf(told, "d", DISCORD_ROOM)).embeds;
    expect(digest.fields).toHaveLength(25);
    expect(digest.fields.at(-1)?.name).toBe("Also fired");
    expect(digest.fields.at(-1)?.value).toContain("rule-9: ");
  });
});

describe("Discord's answers", () => {
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
      response.writeHead(status, headers).end(body === null ? undefined : JSON.stringify(body));
    });
    const channel = discordKind.open(
      { url: new Secret(`${receiver.origin}/x?thread_id=7`) },
      toolsOf(),
    );
    const body_ = channel.render(noticeOf());
    const outcome = await channel.send(messageOf(body_), new AbortController().signal);
    await channel.close();
    return outcome;
  }

  it("ask with 429 for seconds in body and header, the longer counting", async () => {
    const body = { message: "You are being rate limited.", retry_after: 1.337, global: false };
    expect(await send(429, body)).toMatchObject({ status: "retry", afterMs: 1_337 });
    expect(await send(429, body, { "retry-after": "65" })).toMatchObject({ afterMs: 65_000 });
    expect(await send(429, { retry_after: 90 }, { "retry-after": "1" })).toMatchObject({
      afterMs: 90_000,
    });
  });

  it.each([
    [404, 10_015, "parked"],
    [401, 50_027, "parked"],
    [400, 220_001, "parked"],
    [400, 50_035, "dead"],
    [400, 50_006, "dead"],
  ] as const)("%i with code %i is %s", async (status, code, expected) => {
    expect(await send(status, { message: "words", code })).toEqual({
      status: expected,
      reason: `HTTP ${status}, Discord's error ${code}`,
    });
  });

  it("count with 204, too, but not without a message", async () => {
    expect(await send(204, null)).toEqual({ status: "sent" });
    expect((await send(200, "ok")).status).toBe("retry");
    expect((await send(200, null)).status).toBe("retry");
  });

  it("are asked for, and the thread that the address names is kept", async () => {
    await send(204, null);
    expect(receiver.received[0]?.path).toBe("/x?thread_id=7&wait=true");
  });
});

describe("Discord's settings", () => {
  it("are a web address, kept as a secret", () => {
    const read = discordKind.settings.parse({ url: "https://discord.com/api/webhooks/1/x" });
    expect(read.url.reveal()).toBe("https://discord.com/api/webhooks/1/x");
    expect(JSON.stringify(read)).not.toContain("webhooks");
  });

  it.each([
    {},
    { url: "discord.com/api/webhooks/1/secretword" },
    { url: "https://user:secretword@discord.com/x" },
    { url: "https://discord.com/secretword", channel: "x" },
  ])("refuse %j without repeating the secret", (raw) => {
    const read = discordKind.settings.safeParse(raw);
    expect(read.success).toBe(false);
    expect(JSON.stringify(read.error?.issues)).not.toContain("secretword");
  });
});
