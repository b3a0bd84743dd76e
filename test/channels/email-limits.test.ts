import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanText } from "../../src/base/text.ts";
import type { Channel } from "../../src/channels/channel.ts";
import { emailKind } from "../../src/channels/email.ts";
import { withoutLinks } from "../../src/channels/text.ts";
import { digestOf } from "../../src/delivery/digest/digest.ts";
import type { Notice } from "../../src/model/index.ts";
import { anyNotice } from "../support/any-notice.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { messageOf, noticeOf } from "../support/notices.ts";
import { propertyRuns } from "../support/tier.ts";

describe("a mail on the wire", () => {
  let server: MailServer;
  let channel: Channel;

  beforeAll(async () => {
    server = await startMailServer();
    const to = Array.from({ length: 50 }, (_, i) => `Très long nom ${i} <to-${i}@example.org>`);
    const settings = { smtp: `smtp://127.0.0.1:${server.port}`, from: "t@example.org", to };
    channel = emailKind.open(emailKind.settings.parse(settings), {
      print: () => {},
      colours: false,
    });
  });

  afterAll(() => server.close());

  /** What arrived for it. */
  async function sent(notice: Notice): Promise<MailServer["received"][number]> {
    const message = messageOf(channel.render(notice));
    expect(await channel.send(message, new AbortController().signal)).toEqual({ status: "sent" });
    const mail = server.received.at(-1);
    if (mail === undefined) throw new Error("nothing has arrived");
    return mail;
  }

  /**
   * Source: RFC 5322, 2.1.1 (998 octets a line) and 2.1 (headers in ASCII), RFC 2047, 2 (75 octets
   * an encoded word, 76 a line that holds one), RFC 2045, 6.7 (76 octets a line of
   * quoted-printable).
   */
  function expectLines(raw: string): void {
    const [head = "", ...body] = raw.split("\r\n\r\n");
    for (const line of raw.split("\r\n")) expect(line.length).toBeLessThanOrEqual(998);
    expect(head).toMatch(/^[\x20-\x7e\r\n\t]*$/);
    for (const line of head.split("\r\n")) {
      for (const [word] of line.matchAll(/=\?\S+\?=/g)) expect(word.length).toBeLessThanOrEqual(75);
    }
    expect(body.join("")).toMatch(/^[\x20-\x7e\r\n\t]*$/);
  }

  it("has short lines, encoded words and the headline as its subject, whatever it says", async () => {
    await fc.assert(
      fc.asyncProperty(anyNotice, async (notice) => {
        const { raw, parsed } = await sent(notice);
        expectLines(raw);
        // A name in it may be an address, of which no program is to make a link.
        const subject = cleanText(withoutLinks(notice).headline, 200);
        expect(parsed.subject ?? "").toBe(subject === "" ? "tickwatch" : subject);
        expect([...(parsed.subject ?? "")].length).toBeLessThanOrEqual(200);
      }),
      { numRuns: propertyRuns(25) },
    );
  });

  it("has them however much it says at once", async () => {
    const headline = "🟠 Out of range: Trésorerie ETH/USDC. 2,310 > 2,250 USDC/ETH. Now all USDC";
    const many = Array.from({ length: 200 }, (_, i) => noticeOf({ headline, rule: `rule-${i}` }));
    const { raw, parsed } = await sent(digestOf(many, "digest"));
    expectLines(raw);
    expect(parsed.subject).toBe(
      "🟠 200 notices of 200 rules: 200 fired. First: Out of range: Trésorerie ETH/USDC",
    );
    for (const { rule } of many) expect(parsed.text).toContain(`(${rule ?? ""})`);
    expect(parsed.text).not.toContain("more notices");
  });
});
