import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { Secret } from "../../src/base/text.ts";
import type { Channel, Outcome } from "../../src/channels/channel.ts";
import { emailKind } from "../../src/channels/email.ts";
import type { Notice } from "../../src/model/index.ts";
import { sampleNotice } from "../../src/operate/sample-notice.ts";
import { makeCertificate } from "../support/certificate.ts";
import { type MailServer, type Refusals, startMailServer } from "../support/mail-server.ts";
import { HOSTILE, hostileNotice, messageOf, noticeOf } from "../support/notices.ts";

const TOOLS = { print: () => {}, colours: false };
const going = new AbortController().signal;
const certificate = makeCertificate(Date.now());
const TLS = { ...certificate, disabledCommands: [] };
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(
  refusals: Refusals = {},
  options: Parameters<typeof startMailServer>[1] = {},
): Promise<MailServer> {
  const server = await startMailServer(refusals, options);
  closing.push(() => server.close());
  return server;
}

function open(smtp: string, more: Record<string, unknown> = {}): Channel {
  const given = { from: "Tickwatch <tickwatch@example.org>", to: ["lp@example.org"], ...more };
  return emailKind.open(emailKind.settings.parse({ smtp: new Secret(smtp), ...given }), TOOLS);
}

async function send(channel: Channel, notice: Notice = noticeOf(), id = "m1"): Promise<Outcome> {
  const outcome = await channel.send(messageOf(channel.render(notice), { id }), going);
  expect(JSON.stringify(outcome)).not.toMatch(/hunter2|alerts@|127\.0\.0\.1|example\.org/);
  return outcome;
}

describe("a mail", () => {
  it("has the headline as its subject, and text and HTML that say the same", async () => {
    const server = await serve();
    const channel = open(`smtp://127.0.0.1:${server.port}`);
    const notice = noticeOf({ title: "Mind the range", note: "Call Ann." });
    expect(await send(channel, notice)).toEqual({ status: "sent" });
    const [mail] = server.received;
    expect(mail).toMatchObject({ from: "tickwatch@example.org", to: ["lp@example.org"] });
    expect(mail?.parsed.subject).toBe(notice.headline);
    expect(mail?.parsed.from?.text).toBe('"Tickwatch" <tickwatch@example.org>');
    expect(mail?.parsed.date?.getTime()).toBe(Date.UTC(2026, 10, 27, 15, 6));
    expect(mail?.parsed.attachments).toEqual([]);
    expect(mail?.parsed.text).toBe(
      [
        notice.headline,
        "",
        "Mind the range",
        "",
        "Call Ann.",
        "",
        "Price  2,310 USDC per ETH",
        "Chain  Ethereum",
        "",
        "2,050 ├─────────────────────┤ 2,250  ● 2,310",
        "USDC per ETH",
        "",
        "▁▅█",
        "",
        "https://etherscan.io/nft/0x0/42",
        "Rule my-range · notice 0123456789abcdef",
        "",
      ].join("\n"),
    );
    const html = String(mail?.parsed.html);
    for (const part of [
      "Out of range: Treasury ETH/USDC. 2,310 &gt; 2,250 USDC/ETH.",
      "<p>Call Ann.</p>",
      ">2,310 USDC per ETH</td>",
      "├─────────────────────┤ 2,250  ● 2,310\nUSDC per ETH</pre>",
      '<a href="https://etherscan.io/nft/0x0/42">',
      "prefers-color-scheme:dark",
    ]) {
      expect(html).toContain(part);
    }
    // Readable without images, and nothing is loaded.
    expect(html).not.toMatch(/<img|<script|<link|url\(|src=/i);
  });

  it("brings the pictures of a report with it, the same on a retry", async () => {
    const server = await serve();
    const channel = open(`smtp://127.0.0.1:${server.port}`);
    const report = sampleNotice("report", Date.UTC(2026, 10, 28, 8));
    await send(channel, report);
    await send(channel, report);
    const [mail, again] = server.received;
    expect(again?.raw).toBe(mail?.raw);
    const attached = mail?.parsed.attachments ?? [];
    expect(attached.map(({ contentType, related }) => [contentType, related])).toEqual([
      ["image/png", true],
      ["image/png", true],
    ]);
    for (const { content } of attached) {
      expect(content.subarray(1, 4).toString("latin1")).toBe("PNG");
    }
    const named = Array.from(String(mail?.raw).matchAll(/cid:([\w@]+)/g), ([, id]) => id);
    // Quoted-printable may break a line within an id; those that are whole are known.
    const ids = new Set(attached.map(({ cid }) => cid));
    expect(named.filter((id) => id?.endsWith("@tickwatch")).every((id) => ids.has(id))).toBe(true);
    expect(String(mail?.parsed.html).match(/<img [^>]*alt="[^"]{10,}"/g)).toHaveLength(2);
    expect(mail?.parsed.text).not.toContain("cid:");
  });

  it("says in its headers that no one need answer and which notice it is", async () => {
    const server = await serve();
    await send(open(`smtp://127.0.0.1:${server.port}`), noticeOf(), "abc123");
    const headers = server.received[0]?.parsed.headers;
    expect(headers?.get("auto-submitted")).toBe("auto-generated");
    expect(headers?.get("x-tickwatch-notice")).toBe("0123456789abcdef");
    expect(server.received[0]?.parsed.messageId).toBe("<abc123@example.org>");
  });

  it("is the same to the byte on a retry", async () => {
    const server = await serve();
    const channel = open(`smtp://127.0.0.1:${server.port}`);
    await send(channel);
    await send(channel);
    expect(server.received[1]?.raw).toBe(server.received[0]?.raw);
  });

  it("is in one thread with the others about its alert, and with no other", async () => {
    const server = await serve();
    const channel = open(`smtp://127.0.0.1:${server.port}`);
    await send(channel, noticeOf(), "m1");
    await send(channel, noticeOf({ kind: "resolved", id: "b", at: 5 }), "m2");
    await send(channel, noticeOf({ subject: "v4_position:1:dexa:43" }), "m3");
    await send(channel, noticeOf({ subject: null }), "m4");
    const roots = server.received.map(({ parsed }) => parsed.references);
    expect(roots[0]).toMatch(/^<thread\.[0-9a-f]{24}@example\.org>$/);
    expect(roots[1]).toBe(roots[0]);
    expect(new Set(roots).size).toBe(3);
    for (const { parsed } of server.received) expect(parsed.inReplyTo).toBe(parsed.references);
  });

  it("goes to several recipients in one transaction", async () => {
    const server = await serve();
    const to = ["a@example.org", "B <b@example.org>", "c@bücher.example"];
    expect(await send(open(`smtp://127.0.0.1:${server.port}`, { to }))).toEqual({ status: "sent" });
    expect(server.received).toHaveLength(1);
    expect(server.received[0]?.to).toEqual(["a@example.org", "b@example.org", "c@bücher.example"]);
  });

  it("is given up when its frozen body is no mail", async () => {
    const channel = open("smtp://127.0.0.1:1");
    for (const body of ["{not json", "{}", "null"]) {
      expect((await channel.send(messageOf(body), going)).status).toBe("dead");
    }
  });

  it("full of hostile text has no header, recipient or mark-up but ours, and short lines", async () => {
    const server = await serve();
    const channel = open(`smtp://127.0.0.1:${server.port}`);
    const sent = HOSTILE.map((text) => {
      const injected = `${text}\r\nBcc: evil@example.net\r\n\r\n<script>alert(1)</script>`;
      const body = channel.render({ ...hostileNotice(injected), id: injected });
      return channel.send(messageOf(body, { id: injected }), going);
    });
    for (const outcome of await Promise.all(sent)) expect(outcome).toEqual({ status: "sent" });
    expect(server.received).toHaveLength(HOSTILE.length);
    for (const { to, parsed, raw } of server.received) {
      expect(to).toEqual(["lp@example.org"]);
      expect([...parsed.headers.keys()].toSorted()).toEqual(HEADERS);
      const [head = ""] = raw.split("\r\n\r\n");
      expect(head).toMatch(/^[\x20-\x7e\r\n]*$/);
      for (const line of raw.split("\r\n")) {
        expect(Buffer.byteLength(line, "latin1")).toBeLessThanOrEqual(998);
      }
      const html = String(parsed.html);
      expect(html).not.toMatch(/<script|<img|<!channel|<https|<@|javascript:/i);
      for (const shown of [html, parsed.text ?? "", parsed.subject ?? ""]) {
        // Neither controls nor what turns or hides text, but for the ends of lines.
        expect(shown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }
    }
  });
});

const HEADERS = [
  "auto-submitted",
  "content-type",
  "date",
  "from",
  "in-reply-to",
  "message-id",
  "mime-version",
  "references",
  "subject",
  "to",
  "x-auto-response-suppress",
  "x-tickwatch-notice",
];

describe("recipients that are refused", () => {
  const to = ["a@example.org", "b@example.org", "c@example.org"];
  const refusing = (replies: Record<string, string>): Refusals => ({
    to: (address) => replies[address] ?? null,
  });

  it("are told with the delivery to the others", async () => {
    const server = await serve(refusing({ "b@example.org": "550 5.1.1 No b@example.org here" }));
    expect(await send(open(`smtp://127.0.0.1:${server.port}`, { to }))).toEqual({
      status: "sent",
      note: "recipient 2 of 3: SMTP 550 5.1.1",
    });
    expect(server.received[0]?.to).toEqual(["a@example.org", "c@example.org"]);
  });

  it("are tried again alone where the refusal will pass", async () => {
    const replies = { "b@example.org": "451 4.7.1 Greylisted", "c@example.org": "550 Gone" };
    const server = await serve(refusing(replies));
    const channel = open(`smtp://127.0.0.1:${server.port}`, { to });
    expect(await send(channel)).toEqual({
      status: "retry",
      reason: "recipient 2 of 3: SMTP 451 4.7.1; recipient 3 of 3: SMTP 550",
    });
    // Another message is not touched by it.
    expect((await send(channel, noticeOf(), "m2")).status).toBe("retry");
    Object.assign(replies, { "b@example.org": undefined });
    expect(await send(channel)).toEqual({ status: "sent" });
    expect(server.received.map(({ to: whom }) => whom)).toEqual([
      ["a@example.org"],
      ["a@example.org"],
      ["b@example.org"],
    ]);
  });

  it("are given up with the message where there is nobody else", async () => {
    const server = await serve({ to: () => "550 5.1.1 Nobody of that name" });
    expect(await send(open(`smtp://127.0.0.1:${server.port}`, { to }))).toMatchObject({
      status: "dead",
    });
  });

  it("make a dead message also in two steps, if nobody ever had it", async () => {
    const replies: Record<string, string> = {
      "a@example.org": "550 No",
      "b@example.org": "450 Later",
    };
    const server = await serve(refusing(replies));
    const channel = open(`smtp://127.0.0.1:${server.port}`, { to: to.slice(0, 2) });
    expect((await send(channel)).status).toBe("retry");
    replies["b@example.org"] = "550 No";
    expect((await send(channel)).status).toBe("dead");
  });

  it("are the channel's trouble where the server does not relay for us", async () => {
    const server = await serve({ to: () => "550 5.7.1 Relaying denied" });
    expect((await send(open(`smtp://127.0.0.1:${server.port}`, { to }))).status).toBe("parked");
  });

  it.each(["451 4.7.1 Greylisted", "450 Busy", "421 Bye"])(
    "are tried again after %s",
    async (r) => {
      const server = await serve({ to: () => r });
      expect((await send(open(`smtp://127.0.0.1:${server.port}`, { to }))).status).toBe("retry");
    },
  );
});

describe("a mail server that refuses", () => {
  it.each<[keyof Refusals, string, Outcome]>([
    ["from", "451 Later", { status: "retry", reason: "SMTP 451" }],
    [
      "from",
      "553 5.7.1 alerts@example.org may not send",
      { status: "parked", reason: "the server rejected the sender: SMTP 553 5.7.1" },
    ],
    ["from", "552 Too big", { status: "dead", reason: "the server rejected the mail: SMTP 552" }],
    ["data", "452 4.3.1 Disk full", { status: "retry", reason: "SMTP 452 4.3.1" }],
    [
      "data",
      "554 5.7.1 Spam",
      { status: "dead", reason: "the server rejected the mail: SMTP 554 5.7.1" },
    ],
    [
      "data",
      "550 5.7.26 Unauthenticated",
      { status: "parked", reason: "the server rejected the sender: SMTP 550 5.7.26" },
    ],
  ])("%s with %s", async (command, reply, expected) => {
    const server = await serve({ [command]: () => reply });
    expect(await send(open(`smtp://127.0.0.1:${server.port}`))).toEqual(expected);
  });
});

describe("a login", () => {
  const LOGIN = "alerts%40example.org:hunter2%2F%40";

  it("is sent over STARTTLS that is required", async () => {
    const server = await serve({}, { ...TLS, authOptional: false });
    const ca = certificate.cert;
    const smtp = `smtp://${LOGIN}@localhost:${server.port}`;
    expect(await send(open(smtp, { ca, starttls: "required" }))).toEqual({ status: "sent" });
    expect(server.received[0]).toMatchObject({ secure: true, user: "alerts@example.org" });
  });

  it("is sent over smtps", async () => {
    const server = await serve({}, { ...TLS, secure: true, authOptional: false });
    const smtp = `smtps://${LOGIN}@127.0.0.1:${server.port}`;
    expect(await send(open(smtp, { ca: certificate.cert }))).toEqual({ status: "sent" });
    expect(server.received[0]).toMatchObject({ secure: true, user: "alerts@example.org" });
  });

  it("that is wrong parks the channel", async () => {
    const login = (): string => "535 5.7.8 alerts@example.org: hunter2/@ is wrong";
    const server = await serve({ login }, TLS);
    expect(await send(open(`smtp://${LOGIN}@127.0.0.1:${server.port}`))).toEqual({
      status: "parked",
      reason: "the server rejected the login: SMTP 535 5.7.8",
    });
  });

  it("that fails for now is tried again", async () => {
    const server = await serve({ login: () => "454 4.7.0 Directory is down" }, TLS);
    const outcome = await send(open(`smtp://${LOGIN}@127.0.0.1:${server.port}`));
    expect(outcome).toEqual({ status: "retry", reason: "the login failed: SMTP 454 4.7.0" });
  });

  it("that the server does not take parks the channel; nothing goes without it", async () => {
    const server = await serve({}, { disabledCommands: ["STARTTLS", "AUTH"] });
    const outcome = await send(open(`smtp://${LOGIN}@127.0.0.1:${server.port}`));
    expect(outcome.status).toBe("parked");
    expect(server.received).toEqual([]);
  });

  it("that is missing parks the channel", async () => {
    const server = await serve({}, { ...TLS, authOptional: false });
    const outcome = await send(open(`smtp://127.0.0.1:${server.port}`));
    expect(outcome).toEqual({
      status: "parked",
      reason: "the server rejected the sender: SMTP 530",
    });
  });
});

describe("TLS", () => {
  it("that is required and not offered parks the channel, and nothing is sent", async () => {
    const server = await serve();
    const smtp = `smtp://127.0.0.1:${server.port}`;
    expect((await send(open(smtp, { starttls: "required" }))).status).toBe("parked");
    expect(server.received).toEqual([]);
  });

  it("is used on this machine where it is offered, whatever the certificate", async () => {
    const server = await serve({}, TLS);
    expect(await send(open(`smtp://127.0.0.1:${server.port}`))).toEqual({ status: "sent" });
    expect(server.received[0]?.secure).toBe(true);
  });

  it.each(["smtp", "smtps"])("with a certificate of nobody's parks %s", async (protocol) => {
    const secure = protocol === "smtps";
    const server = await serve({}, { ...TLS, secure });
    const more = secure ? {} : { starttls: "required" };
    const outcome = await send(open(`${protocol}://localhost:${server.port}`, more));
    expect(outcome.status).toBe("parked");
    expect(JSON.stringify(outcome)).toContain("certificate is not trusted");
    expect(server.received).toEqual([]);
  });
});

describe("a port that speaks no TLS", () => {
  it("is tried again over smtps, with the reason", async () => {
    const server = await serve();
    expect(await send(open(`smtps://127.0.0.1:${server.port}`))).toEqual({
      status: "retry",
      reason: "TLS could not be set up (ERR_SSL_WRONG_VERSION_NUMBER)",
    });
  });
});

describe("a mail server in trouble", () => {
  /** A server that speaks as it is told and no SMTP library would. */
  async function raw(speak: (socket: Socket) => void): Promise<number> {
    const sockets = new Set<Socket>();
    const server: Server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      speak(socket);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    closing.push(
      () =>
        new Promise((resolve) => {
          for (const socket of sockets) socket.destroy();
          server.close(() => resolve());
        }),
    );
    return (server.address() as AddressInfo).port;
  }
  const replies =
    (answers: Record<string, (socket: Socket) => void>, greeting = "220 hello\r\n") =>
    (socket: Socket): void => {
      socket.write(greeting);
      let body = false;
      socket.on("data", (chunk: Buffer) => {
        for (const line of chunk.toString("latin1").split("\r\n")) {
          const word = body ? (line === "." ? "END" : "") : (line.split(" ")[0] ?? "");
          if (word === "") continue;
          body = word === "DATA";
          const answer = answers[word];
          if (answer !== undefined) answer(socket);
          else socket.write(word === "DATA" ? "354 go on\r\n" : "250 fine\r\n");
        }
      });
    };

  it("is tried again when it cannot be reached", async () => {
    expect(await send(open("smtp://127.0.0.1:1"))).toEqual({
      status: "retry",
      reason: "no answer (ECONNREFUSED)",
    });
  });

  it("is tried again when the connection drops before and after the data", async () => {
    const before = await raw(replies({ MAIL: (socket) => socket.destroy() }));
    expect((await send(open(`smtp://127.0.0.1:${before}`))).status).toBe("retry");
    const after = await raw(replies({ END: (socket) => socket.destroy() }));
    expect((await send(open(`smtp://127.0.0.1:${after}`))).status).toBe("retry");
  });

  it("is tried again when it hangs, at whatever point", async () => {
    const outcomes = ["EHLO", "END"].map(async (word) => {
      const port = await raw(replies({ [word]: () => {} }));
      return send(open(`smtp://127.0.0.1:${port}`, { timeout: "1s" }));
    });
    for (const outcome of await Promise.all(outcomes)) {
      expect(outcome).toEqual({ status: "retry", reason: "timed out" });
    }
  });

  it("is left when the daemon stops", async () => {
    const stop = new AbortController();
    const port = await raw(replies({ END: () => stop.abort() }));
    const channel = open(`smtp://127.0.0.1:${port}`);
    expect(await channel.send(messageOf(channel.render(noticeOf())), stop.signal)).toEqual({
      status: "retry",
      reason: "interrupted",
    });
  });

  it.each([
    ["554 5.7.1 alerts@example.org: go away\r\n", "parked"],
    ["421 later\r\n", "retry"],
    ["HTTP/1.1 400 Bad Request\r\n\r\n", "retry"],
  ])("greets with %j", async (greeting, status) => {
    const port = await raw(replies({}, greeting));
    expect((await send(open(`smtp://127.0.0.1:${port}`))).status).toBe(status);
  });
});

describe("the settings of a mail channel", () => {
  const good = {
    smtp: new Secret("smtps://user:pa%2Fss@mail.example.org"),
    from: "Tickwatch <tickwatch@example.org>",
    to: "lp@example.org",
  };

  it("take one recipient or several, none twice, and keep the password a secret", () => {
    const read = emailKind.settings.parse(good);
    expect(read).toMatchObject({
      from: { name: "Tickwatch", address: "tickwatch@example.org" },
      to: [{ name: "", address: "lp@example.org" }],
      timeout: 30_000,
    });
    expect(JSON.stringify(read)).not.toContain("pa%2Fss");
    const to = ["a@example.org", "A <A@example.org>", "b@example.org"];
    expect(emailKind.settings.parse({ ...good, to }).to).toHaveLength(2);
    // Without a password there is nothing to hide.
    expect(emailKind.settings.parse({ ...good, smtp: "smtp://localhost:25" }).smtp).toBe(
      "smtp://localhost:25",
    );
  });

  it.each<[Record<string, unknown>, RegExp]>([
    [{ smtp: undefined }, /is missing/],
    [{ smtp: "mail.example.org" }, /does not begin with smtp/],
    [{ smtp: "smtp://" }, /not the address of a mail server/],
    [{ smtp: "smtp://user:hunter/2@mail.example.org" }, /not the address of a mail server/],
    [{ smtp: "smtp://mail.example.org/?pool=true" }, /not the address of a mail server/],
    [{ smtp: "smtp://user@mail.example.org" }, /without the other/],
    [{ from: "tickwatch" }, /not a mail address/],
    [{ from: "Evil\r\nBcc: x <a@example.org>" }, /not a mail address/],
    [{ to: [] }, /is a list of 0/],
    [{ to: ["lp@example.org", "nobody"] }, /not a mail address/],
    [{ to: "a@example.org, b@example.org" }, /several addresses in one text/],
    [{ to: "a@example.org; B <b@example.org>" }, /several addresses in one text/],
    [{ to: "a@example.org, nobody" }, /not a mail address/],
    [{ starttls: "required" }, /encrypted from the start/],
    [{ smtp: "smtp://u:p@mail.example.org", starttls: "opportunistic" }, /in the clear/],
    [{ starttls: "never" }, /is not known/],
    [{ ca: "not a certificate" }, /holds no certificate/],
    [{ timeout: "10" }, /has no unit/],
    [{ cc: "x@example.org" }, /cc/],
  ])("refuse %j", (more, message) => {
    const read = emailKind.settings.safeParse({ ...good, ...more });
    const text = JSON.stringify(read.error?.issues);
    expect(text).toMatch(message);
    expect(text).not.toMatch(/hunter|pa%2Fss/);
  });

  it("say which of several recipients is wrong", () => {
    const read = emailKind.settings.safeParse({ ...good, to: ["a@example.org", "nobody"] });
    expect(read.error?.issues[0]?.path).toEqual(["to", 1]);
  });
});
