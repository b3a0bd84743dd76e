import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { createLogger } from "../../src/base/log.ts";
import { Secret } from "../../src/base/text.ts";
import type { Channel } from "../../src/channels/channel.ts";
import { emailKind } from "../../src/channels/email.ts";
import { startDelivery } from "../../src/delivery/deliver.ts";
import { NO_CHANGE, type Notice } from "../../src/model/index.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { messageOf, noticeOf } from "../support/notices.ts";
import { hasOpenSmtpd, type OpenSmtpd, startOpenSmtpd } from "../support/open-smtpd.ts";

/** CI installs the program: there its absence is a failure and no reason to skip. */
const RUNS = hasOpenSmtpd() || process.env.CI_PEERS === "1";

describe.skipIf(!RUNS)("mail through a real OpenSMTPD", () => {
  let server: OpenSmtpd;

  beforeAll(async () => {
    server = await startOpenSmtpd();
  });

  afterAll(async () => {
    await server.close();
  });

  function open(more: Record<string, unknown> = {}, login = ""): Channel {
    const settings = emailKind.settings.parse({
      smtp: new Secret(`smtp://${login}127.0.0.1:${server.port}`),
      from: "Tickwatch <tickwatch@example.org>",
      to: ["lp@example.org"],
      ...more,
    });
    return emailKind.open(settings, { print: () => {}, colours: false });
  }

  const AT = Date.UTC(2026, 10, 27, 15, 6);

  it("arrives from the outbox, an alert's mails in one thread", async () => {
    const store = createMemoryStore();
    const hostile = "🦄<script>\r\nBcc: evil@example.org\r\n\r\n.\r\nQUIT";
    const notices: Notice[] = [
      noticeOf({ id: "n1", at: AT }),
      noticeOf({ id: "n2", at: AT + 60_000, kind: "resolved", headline: "🟢 Back in range" }),
      noticeOf({ id: "n3", at: AT + 120_000, subject: null, headline: hostile, note: hostile }),
    ];
    await store.commit({
      ...NO_CHANGE,
      notices: notices.map((notice) => ({ notice, channels: ["lp-mail"] })),
    });
    const delivered: string[] = [];
    const delivery = startDelivery({
      store,
      channels: new Map([["lp-mail", open()]]),
      clock: systemClock(),
      log: createLogger({ level: "silent", stream: { write: () => true }, secrets: [] }),
      onEvent: (event) => {
        if (event.kind === "ended" && event.status === "sent")
          delivered.push(...event.message.notices);
      },
    });
    await delivery.idle();
    await delivery.stop();
    expect(delivered).toEqual(["n1", "n2", "n3"]);
    const mails = await server.mails(3);
    expect(mails.map(({ subject }) => subject)).toEqual([
      notices[0]?.headline,
      "🟢 Back in range",
      "🦄<script> Bcc: evil@example․org . QUIT",
    ]);
    const [first, second, third] = mails;
    expect(first?.references).toMatch(/^<thread\.[0-9a-f]{24}@example\.org>$/);
    expect(second?.references).toBe(first?.references);
    expect(third?.references).not.toBe(first?.references);
    expect(first?.text).toContain("2,050 ├─────────────────────┤ 2,250  ● 2,310");
    expect(String(first?.html)).toContain("2,310 USDC per ETH");
    expect(third?.bcc).toBeUndefined();
  });

  it("tells of one recipient that the server does not know, and reaches the other", async () => {
    const channel = open({ to: ["nobody-of-that-name@example.org", "ann@example.org"] });
    const message = messageOf(channel.render(noticeOf({ at: AT + 180_000 })), { id: "m4" });
    const outcome = await channel.send(message, new AbortController().signal);
    expect(outcome).toMatchObject({ status: "sent" });
    expect(JSON.stringify(outcome)).toMatch(/recipient 1 of 2: SMTP 5\d\d/);
    expect((await server.mails(4)).at(-1)?.messageId).toBe("<m4@example.org>");
  });

  it("is dead for nobody, and parked where login or TLS are wanted and not to be had", async () => {
    const send = async (channel: Channel): Promise<unknown> =>
      await channel.send(messageOf(channel.render(noticeOf())), new AbortController().signal);
    expect(await send(open({ to: ["nobody-of-that-name@example.org"] }))).toMatchObject({
      status: "dead",
    });
    const refused = await send(open({}, "alerts:hunter2@"));
    expect(refused).toMatchObject({ status: "parked" });
    expect(JSON.stringify(refused)).not.toMatch(/alerts|hunter2/);
    expect(await send(open({ starttls: "required" }))).toMatchObject({ status: "parked" });
  });
});
