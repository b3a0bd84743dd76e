import { describe, expect, it } from "vitest";
import { DISCORD_ROOM, discordMessage } from "../../src/channels/discord.ts";
import { freezeMail } from "../../src/channels/email-body.ts";
import { pagerdutyEvents } from "../../src/channels/pagerduty.ts";
import { plainPayload, slackPayload } from "../../src/channels/slack-message.ts";
import { telegramMessage } from "../../src/channels/telegram.ts";
import { unlinked } from "../../src/channels/text.ts";
import { digestOf } from "../../src/delivery/digest/digest.ts";
import type { Notice } from "../../src/model/index.ts";
import { hostileNotice, noticeOf } from "../support/notices.ts";

const LINKS = [
  "http://evil",
  "HTTPS://evil.com/x",
  "evil.com",
  "www.evil.com",
  "<https://evil.example/x|USDC>",
  "mailto:evil@evil.com",
  "evil@evil.com",
  "claim at t.me/evil",
  "xn--80ak6aa92e.com",
  "аррӏе.com",
  "evil。com",
  "evil．com",
  "evil｡com",
  "http:／／evil",
  "ftp://1.2.3.4",
  "1.2.3.4",
  "tg://resolve?domain=evil",
  "javascript:alert(1)",
  "evil.рф",
];

/** What some program makes a link of. */
const LINK =
  /:\/\/|：\/\/|:／／|[\p{L}\p{N}][.。．｡][\p{L}]|\p{N}\.\p{N}+\.\p{N}|\b(?:mailto|javascript|tg):\S/u;

const EXPLORER = "https://etherscan.io/address/0x01";

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

describe("a name that is an address", () => {
  it.each(LINKS)("%s is no link in any text for people", (text) => {
    const notice = { ...hostileNotice(text), link: null };
    const blocks = slackPayload(notice);
    const mail = freezeMail(notice);
    const shown = {
      slack: textsIn(blocks),
      plain: [plainPayload({ ...blocks })?.text ?? ""],
      telegram: [telegramMessage(notice).text],
      // It makes links of nothing but `http://…`, and of nothing within code.
      discord: textsIn(discordMessage({ ...notice, rule: "r" }))
        .map((one) => one.replace(/```[^]*?```/g, ""))
        .filter((one) => one.includes("://")),
      mail: [mail.subject, mail.text, mail.html.slice(mail.html.indexOf("<body"))],
      pagerduty: pagerdutyEvents(notice).flatMap((event) =>
        "payload" in event ? [event.payload.summary, ...textsIn(event.payload.custom_details)] : [],
      ),
      digest: textsIn(slackPayload(digestOf([notice, { ...notice, id: "b" }], "d"))),
    };
    for (const [channel, texts] of Object.entries(shown)) {
      for (const one of texts) {
        if (/^\d{4}-\d\d-\d\dT/.test(one)) continue;
        expect(`${channel}: ${one.replace(/style="[^"]*"/g, "")}`).not.toMatch(LINK);
      }
    }
  });

  it("leaves numbers, times and sentences as they are", () => {
    for (const text of [
      "🟠 TVL -18.5% in 1 h: ETH/USDC 0.05% lost $4.1M, now $18.7M. Ethereum",
      "tip 7.4 gwei, limit 5. Top 10%, average of 14:00-15:00 UTC",
      "2,310.55 > 2,250 USDC/ETH",
    ]) {
      expect(unlinked(text)).toBe(text);
    }
  });
});

describe("our own links", () => {
  const notice = noticeOf({
    link: EXPLORER,
    links: ["https://wiki.example.org/runbook?pool="],
    note: `See ${EXPLORER}, then https://wiki.example.org/runbook?pool=ETH and https://evil.com/x`,
  });

  it("work in Slack, with and without blocks, and in mail", () => {
    const blocks = slackPayload(notice);
    const texts = textsIn(blocks);
    expect(texts).toContain(`<${EXPLORER}|Block explorer>`);
    expect(plainPayload({ ...blocks })?.text).toContain(EXPLORER);
    const mail = freezeMail(notice);
    expect(mail.text).toContain(`\n${EXPLORER}\n`);
    expect(mail.html).toContain(`<a href="${EXPLORER}">`);
    for (const text of [texts.join("\n"), mail.text]) {
      expect(text).toContain(`See ${EXPLORER}, then https://wiki.example.org/runbook?pool=ETH and`);
      expect(text).not.toContain("https://evil");
      expect(text).not.toContain("evil.com");
    }
  });

  it("work in Telegram and Discord, whatever signs they hold", () => {
    const runbook = "https://wiki.example.org/~lp/run_book_1/*?to=/x&by=@me#a";
    const one = noticeOf({
      link: null,
      links: [runbook],
      title: `Range: ${runbook}`,
      note: `See (${runbook}) *now*, not https://evil.com/x by @evil nor /evil of _it_`,
    });
    const seen = {
      telegram: telegramMessage(one).text,
      discord: [
        discordMessage(one).embeds[0].title,
        discordMessage(one).embeds[0].description,
      ].join("\n"),
    };
    for (const text of Object.values(seen)) {
      expect(text.split(runbook)).toHaveLength(3);
      expect(text).toContain(`See (${runbook}) `);
      expect(text).not.toContain("https://evil");
      expect(text).not.toContain("@evil");
    }
    expect(seen.telegram).not.toContain("evil.com");
    expect(seen.telegram).not.toContain(" /evil");
    expect(seen.discord).toContain(" ∗now∗,");
    expect(seen.discord).toContain(" of ˍitˍ");
    // Only what the rule's author wrote: a name may hold the same address, but no other.
    const named = discordMessage({ ...one, headline: "Pool https://evil.com/x" });
    expect(named.content).toBe("Pool https꞉//evil.com/x");
  });

  it("work in the lines of a start's message, in every channel", () => {
    const began = (id: string, link: string): Notice =>
      noticeOf({ id, subject: id, headline: "🟠 Out: evil.com. 2", began: true, link });
    const start = digestOf([began("a", EXPLORER), began("b", "https://polygonscan.com/tx/2")], "m");
    const blocks = slackPayload(start);
    const link = `<${EXPLORER}|Block explorer>`;
    expect(textsIn(blocks).filter((text) => text.includes(link))).toEqual([
      `2026-11-27 15:06 UTC\n🟠 Out: evil․com. 2 · already firing at the start · ${link}`,
    ]);
    const plain = plainPayload({ ...blocks })?.text;
    expect(plain).toContain(`Out: evil․com. 2 · already firing at the start · ${EXPLORER}\n`);
    expect(telegramMessage(start).text).toContain(` · ${EXPLORER}\n`);
    expect(textsIn(discordMessage(start)).join("\n")).toContain(
      ` · [Block explorer](<${EXPLORER}>)`,
    );
    expect(freezeMail(start).text).toContain(` · ${EXPLORER}\n`);
    expect(textsIn(pagerdutyEvents(start)).join("\n")).toContain(` · ${EXPLORER}`);
  });

  it("find room for every line of a start that Discord may show", () => {
    const many = Array.from({ length: 25 }, (_, i) =>
      noticeOf({ id: `${i}`, subject: `${i}`, began: true, link: `${EXPLORER}${"0".repeat(20)}` }),
    );
    const fields = discordMessage(digestOf(many, "m", DISCORD_ROOM)).embeds[0].fields;
    expect(fields.map(({ name }) => name)).toEqual(many.map(() => "2026-11-27 15:06 UTC"));
    expect(fields.filter(({ value }) => value.includes("[Block explorer]"))).toHaveLength(25);
  });

  it("are no cover for another's", () => {
    const text = `x${EXPLORER}.evil.com http://evil.com/${EXPLORER}`;
    const payload = slackPayload({ ...notice, headline: text, note: null });
    expect(payload.text).not.toContain("evil.com");
    expect(payload.text).not.toContain("https://");
  });

  it("that are a host alone end where the host does", () => {
    const host = { ...notice, link: "https://etherscan.io", links: [], note: null };
    const said = (headline: string): string => slackPayload({ ...host, headline }).text;
    for (const more of [".evil.com", "@evil.com", "．evil.com", ":x@evil.com"]) {
      expect(said(`https://etherscan.io${more}`)).not.toContain("https://");
    }
    expect(said("See https://etherscan.io.")).toBe("See https://etherscan.io.");
    expect(said("See https://etherscan.io/tx/1")).toContain("https://etherscan.io/tx");
  });
});
