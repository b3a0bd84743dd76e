import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Secret } from "../../src/base/text.ts";
import type { Channel } from "../../src/channels/channel.ts";
import { slackKind } from "../../src/channels/slack.ts";
import { plainPayload, type SlackPayload, slackPayload } from "../../src/channels/slack-message.ts";
import type { Notice } from "../../src/model/index.ts";
import { anyNotice } from "../support/any-notice.ts";
import { toolsOf } from "../support/channel-tools.ts";
import { messageOf, noticeOf } from "../support/notices.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { propertyRuns } from "../support/tier.ts";
import { channelSuite } from "./channel-suite.ts";

const PATH = "/services/T0AAA/B0BBB/xoxsecretxox";

channelSuite({
  kind: "slack",
  open: (origin, limitMs) =>
    slackKind.open({ url: new Secret(`${origin}${PATH}`) }, toolsOf(limitMs)),
  path: PATH,
  secrets: ["T0AAA", "B0BBB", "xoxsecretxox"],
  good: { status: 200, body: "ok" },
  refusal: "invalid_payload",
  expectLimits: (body) => expectLimits(body as SlackPayload),
  expectHarmless: (body) => expectHarmless(body as SlackPayload),
});

const channel = slackKind.open({ url: new Secret("http://127.0.0.1:1/x") }, toolsOf());

function payload(notice: Notice): SlackPayload {
  return JSON.parse(channel.render(notice)) as SlackPayload;
}

describe("a Slack message of a daemon with a page", () => {
  const page = "https://watch.example.org/tickwatch";
  const open = slackKind.open(
    { url: new Secret("http://127.0.0.1:1/x") },
    { ...toolsOf(), page: () => ({ url: page, acts: true }) },
  );
  const linksOf = (notice: Notice): string[] =>
    Array.from(
      open.render(notice).matchAll(/<(https:\/\/watch[^|>]*)\|([^>]*)>/g),
      ([, address = "", words = ""]) => `${words}: ${address.replaceAll("&amp;", "&")}`,
    );

  it("leads to where its alert is acknowledged and silenced", () => {
    expect(linksOf(noticeOf({ rule: "a&b <x|y>", subject: "gas:1" }))).toEqual([
      `Acknowledge or silence: ${page}/alert?rule=a%26b+%3Cx%7Cy%3E&subject=gas%3A1`,
    ]);
    expect(linksOf(noticeOf({ rule: "tips", subject: null }))).toEqual([
      `Acknowledge or silence: ${page}/rule?name=tips`,
    ]);
    expect(linksOf(noticeOf({ rule: null, subject: null }))).toEqual([
      `Acknowledge or silence: ${page}/`,
    ]);
  });

  it.each(["resolved", "started", "data_back", "self", "source_down", "rule_removed"] as const)(
    "offers no more than a look where there is nothing to do: %s",
    (kind) => {
      expect(linksOf(noticeOf({ kind }))).toEqual([expect.stringMatching(/^Details: /)]);
    },
  );

  it("has no such link without a page", () => {
    expect(channel.render(noticeOf())).not.toContain("Acknowledge");
  });
});

interface TextObject {
  readonly type: "plain_text" | "mrkdwn";
  readonly text: string;
  readonly emoji?: boolean;
}

/** Every text object of the blocks, with the kind of its block. */
function textObjects({ blocks }: SlackPayload): (TextObject & { block: string })[] {
  return blocks.flatMap((block) => {
    const texts: readonly TextObject[] =
      "text" in block ? [block.text] : "fields" in block ? block.fields : block.elements;
    return texts.map((one) => ({ ...one, block: block.type }));
  });
}

describe("a Slack message", () => {
  it("has the headline as its text and its first block", () => {
    const { text, blocks, ...rest } = payload(noticeOf());
    const headline = "🟠 Out of range: Treasury ETH/USDC. 2,310 &gt; 2,250 USDC/ETH. Now all USDC";
    expect(text).toBe(headline);
    expect(blocks[0]).toEqual({
      type: "header",
      text: { type: "plain_text", text: headline, emoji: false },
    });
    expect(rest).toEqual({ mrkdwn: false, unfurl_links: false, unfurl_media: false });
  });

  it("goes on with title, note, fields, pictures, rule, id and link", () => {
    const { blocks } = payload(noticeOf({ title: "Mind the range", note: "Call Ann." }));
    expect(blocks.slice(1)).toEqual([
      { type: "section", text: { type: "plain_text", text: "Mind the range", emoji: false } },
      { type: "section", text: { type: "plain_text", text: "Call Ann.", emoji: false } },
      {
        type: "section",
        fields: [
          { type: "plain_text", text: "Price\n2,310 USDC per ETH", emoji: false },
          { type: "plain_text", text: "Chain\nEthereum", emoji: false },
        ],
      },
      {
        type: "section",
        text: {
          type: "mrkdwn",
          text: "```\n2,050 ├─────────────────────┤ 2,250  ● 2,310\nUSDC per ETH\n\n▁▅█\n```",
          verbatim: true,
        },
      },
      {
        type: "context",
        elements: [
          { type: "plain_text", text: "my-range · 0123456789abcdef", emoji: false },
          {
            type: "mrkdwn",
            text: "<https://etherscan.io/nft/0x0/42|Block explorer>",
            verbatim: true,
          },
        ],
      },
    ]);
  });

  it("leaves out what there is not", () => {
    const bare = payload(noticeOf({ fields: [], range: null, recent: [], link: null, rule: null }));
    expect(bare.blocks.map(({ type }) => type)).toEqual(["header", "context"]);
  });

  it("links only to web addresses, whatever they hold", () => {
    const links = (link: string): string[] =>
      textObjects(payload(noticeOf({ link })))
        .map(({ text }) => text)
        .filter((text) => text.includes("|Block explorer>"));
    expect(links("javascript:alert(1)")).toEqual([]);
    expect(links("https://a.example/?x=1&y=<!channel>|z")).toEqual([
      "<https://a.example/?x=1&amp;y=%3C!channel%3E%7Cz|Block explorer>",
    ]);
  });

  it("makes look-alikes of mark-up in the text, and leaves names and times alone", () => {
    const text = (headline: string): string => payload(noticeOf({ headline })).text;
    expect(text("*b* _i_ ~s~ `c` :smile: :+1x:")).toBe("∗b∗ ˍiˍ ∼s∼ ˋcˋ ꞉smile꞉ ꞉+1x꞉");
    expect(text("my_rule at 14:00-15:00 UTC: x")).toBe("my_rule at 14:00-15:00 UTC: x");
  });
});

/**
 * Source: docs.slack.dev, "Truncating content" (40,000 characters of text), "Blocks" (50 in a
 * message), "Header block" (150), "Section block" (3,000, and 10 fields of 2,000) and "Context
 * block" (10 elements).
 */
function expectLimits(body: SlackPayload): void {
  expect(body.text.length).toBeGreaterThan(0);
  expect(body.text.length).toBeLessThanOrEqual(40_000);
  expect(body.blocks.length).toBeGreaterThan(0);
  expect(body.blocks.length).toBeLessThanOrEqual(50);
  const limits: Record<string, number> = { header: 150, section: 3_000, context: 2_000 };
  for (const block of body.blocks) {
    if ("elements" in block) expect(block.elements.length).toBeLessThanOrEqual(10);
    if (!("fields" in block)) continue;
    expect(block.fields.length).toBeLessThanOrEqual(10);
    for (const field of block.fields) expect(field.text.length).toBeLessThanOrEqual(2_000);
  }
  for (const one of textObjects(body)) {
    expect(one.text.length).toBeGreaterThan(0);
    expect(one.text.length).toBeLessThanOrEqual(limits[one.block] ?? 0);
    expect(one.text.isWellFormed()).toBe(true);
  }
}

/** Nothing mentions, links, formats or breaks out. */
function expectHarmless(body: SlackPayload): void {
  for (const { type, text: shown, emoji } of textObjects(body)) {
    expect(shown.replace(/&(?:amp|lt|gt);/g, "")).not.toMatch(/[<>&]/);
    if (type === "plain_text") expect(emoji).toBe(false);
    // The only mrkdwn with foreign text is the code block, which ends where we end it.
    else expect(shown).toMatch(/^```\n[^`]*\n```$/);
  }
  expect(body.text.replace(/&(?:amp|lt|gt);/g, "")).not.toMatch(/[<>&*~`]/);
  expect(body.text).not.toMatch(/:[a-z+]+[0-9a-z]*:|(?<![\p{L}\p{N}])_/u);
}

describe("a message whose blocks Slack refuses", () => {
  let receiver: Receiver;
  let slack: Channel;
  const going = new AbortController().signal;

  beforeEach(async () => {
    receiver = await startReceiver();
    slack = slackKind.open({ url: new Secret(receiver.origin) }, toolsOf());
  });

  afterEach(async () => {
    await slack.close();
    await receiver.close();
  });

  /** Refuses what has blocks, as Slack does, and answers everything else so. */
  function refuseBlocks(status: number, body: string, word = "invalid_blocks"): void {
    receiver.answer((response) => {
      const blocks = receiver.received.at(-1)?.body.includes('"blocks"') === true;
      response.writeHead(blocks ? 400 : status).end(blocks ? word : body);
    });
  }

  it.each(["invalid_blocks", "msg_blocks_too_long"])(
    "goes once more as plain text that says the same after %s",
    async (word) => {
      refuseBlocks(200, "ok", word);
      const body = slack.render(noticeOf({ note: "See <!channel> *now* :smile:" }));
      expect(await slack.send(messageOf(body), going)).toEqual({
        status: "sent",
        note: "Slack refused its blocks, so it went as plain text",
      });
      expect(receiver.received).toHaveLength(2);
      expect(JSON.parse(receiver.received[1]?.body ?? "")).toEqual({
        text: [
          "🟠 Out of range: Treasury ETH/USDC. 2,310 &gt; 2,250 USDC/ETH. Now all USDC",
          "See &lt;!channel&gt; ∗now∗ ꞉smile꞉",
          "Price: 2,310 USDC per ETH",
          "Chain: Ethereum",
          "my-range · 0123456789abcdef",
          "https://etherscan.io/nft/0x0/42",
        ].join("\n"),
        mrkdwn: false,
        unfurl_links: false,
        unfurl_media: false,
      });
    },
  );

  it("is given up when that is refused, too", async () => {
    refuseBlocks(400, "invalid_payload");
    const outcome = await slack.send(messageOf(slack.render(noticeOf())), going);
    expect(outcome).toEqual({ status: "dead", reason: "HTTP 400, invalid_payload" });
    expect(receiver.received).toHaveLength(2);
  });

  it("is not tried with its blocks again while the text waits for a retry", async () => {
    refuseBlocks(429, "");
    const message = messageOf(slack.render(noticeOf()));
    expect((await slack.send(message, going)).status).toBe("retry");
    refuseBlocks(200, "ok");
    expect((await slack.send(message, going)).status).toBe("sent");
    expect(receiver.received).toHaveLength(3);
    await slack.send({ ...message, id: "another" }, going);
    expect(receiver.received).toHaveLength(5);
  });

  it("keeps within Slack's limits as text, whatever it says, and does nothing to its reader", () => {
    fc.assert(
      fc.property(anyNotice, (notice) => {
        const plain = plainPayload({ ...slackPayload(notice) });
        expect(plain?.text.length).toBeGreaterThan(0);
        expect(plain?.text.length).toBeLessThanOrEqual(40_000);
        expect(plain?.text.replace(/&(?:amp|lt|gt);/g, "")).not.toMatch(/[<>&]/);
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});

describe("Slack's refusals", () => {
  it.each([
    [400, "invalid_payload", "dead"],
    [400, "no_text", "dead"],
    [400, "user_not_found", "parked"],
    [403, "invalid_token", "parked"],
    [404, "no_service", "parked"],
    [410, "channel_is_archived", "parked"],
    [500, "rollup_error", "retry"],
  ] as const)("%i %s is %s, with the word as its reason", async (status, word, expected) => {
    const receiver = await startReceiver();
    receiver.answer((response) => {
      response.writeHead(status).end(`${word}\n`);
    });
    const slack = slackKind.open({ url: new Secret(receiver.origin) }, toolsOf());
    const outcome = await slack.send(
      messageOf(slack.render(noticeOf())),
      new AbortController().signal,
    );
    expect(outcome).toEqual({ status: expected, reason: `HTTP ${status}, ${word}` });
    await slack.close();
    await receiver.close();
  });
});

describe("Slack's settings", () => {
  it("are a web address, kept as a secret", () => {
    const read = slackKind.settings.parse({ url: "https://hooks.slack.com/services/T/B/x" });
    expect(read.url).toBeInstanceOf(Secret);
    expect(read.url.reveal()).toBe("https://hooks.slack.com/services/T/B/x");
    expect(JSON.stringify(read)).not.toContain("services");
    const given = slackKind.settings.parse({ url: new Secret("http://127.0.0.1:1/x") });
    expect(given.url.reveal()).toBe("http://127.0.0.1:1/x");
  });

  it.each([
    {},
    { url: "" },
    { url: "hooks.slack.com/services/T/B/secretword" },
    { url: "ftp://hooks.slack.com/secretword" },
    { url: "https://" },
    { url: "https://hooks.slack.com/secretword", chanel: "#lp" },
  ])("refuse %j without repeating the secret", (raw) => {
    const read = slackKind.settings.safeParse(raw);
    expect(read.success).toBe(false);
    expect(JSON.stringify(read.error?.issues)).not.toContain("secretword");
  });
});
