import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { plainText } from "../../src/base/settings.ts";
import { cleanText } from "../../src/base/text.ts";
import { httpChannel, outcomeOfStatus } from "../../src/channels/http-channel.ts";
import { secretUrl } from "../../src/channels/http-settings.ts";
import { toolsOf } from "../support/channel-tools.ts";
import { messageOf, noticeOf } from "../support/notices.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { channelSuite } from "./channel-suite.ts";

/** A whole channel kind as docs/adding.md has it: its settings, its body and where that goes. */
const bellKind = httpChannel({
  kind: "bell",
  settings: z.strictObject({ url: secretUrl("the bell's address"), tone: plainText("a tone") }),
  open: ({ url, tone }) => ({
    digests: true,
    body: ({ headline, at }) => ({ says: cleanText(headline, 200), at }),
    requests: (_, { message }) => [
      { url: url.reveal(), headers: { "X-Tone": tone }, body: message.body },
    ],
  }),
});

const open = (url: string, limitMs?: number) =>
  bellKind.open(bellKind.settings.parse({ url, tone: "low" }), toolsOf(limitMs));

function expectLimits(body: unknown): void {
  expect(JSON.stringify(body).length).toBeLessThan(1_300);
}

function expectHarmless(body: unknown): void {
  expect(JSON.stringify(body)).not.toMatch(/\\u00|[\u202e\u200b]/);
}

channelSuite({
  kind: "bell",
  open: (origin, limitMs) => open(`${origin}/ring/B3LL-KEY`, limitMs),
  path: "/ring/B3LL-KEY",
  secrets: ["B3LL-KEY"],
  good: { status: 200, body: "rung" },
  refusal: "too loud",
  expectLimits,
  expectHarmless,
});

describe("a channel kind that posts over HTTP", () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await receiver.close();
  });
  const going = new AbortController().signal;

  it("sends its own headers beside those of every channel", async () => {
    const bell = open(receiver.origin);
    expect(await bell.send(messageOf(bell.render(noticeOf())), going)).toEqual({ status: "sent" });
    await bell.close();
    expect(receiver.received[0]?.headers).toMatchObject({
      "x-tone": "low",
      "user-agent": "tickwatch",
      "content-type": "application/json",
    });
  });

  /** One request for each letter of its headline. */
  const spelling = httpChannel({
    kind: "spelling",
    settings: z.strictObject({ url: plainText() }),
    open: ({ url }) => ({
      body: ({ headline }) => ({ letters: [...headline] }),
      requests: ({ letters }) =>
        Array.isArray(letters)
          ? letters.map((letter) => ({ url, body: JSON.stringify(letter) }))
          : null,
      outcome: (answer) => outcomeOfStatus(answer, null),
    }),
  });

  it("goes on where a message of several requests was interrupted, and only there", async () => {
    const channel = spelling.open({ url: receiver.origin }, toolsOf());
    const frozen = messageOf(channel.render(noticeOf({ headline: "abcd" })));
    let failing = "c";
    receiver.answer((response) => {
      const last = receiver.received.at(-1)?.body ?? "";
      response.writeHead(last === '"b"' ? 400 : last === `"${failing}"` ? 503 : 204).end();
    });
    expect((await channel.send(frozen, going)).status).toBe("retry");
    failing = "";
    // What was refused for good stays so, though the rest of it arrived.
    expect(await channel.send(frozen, going)).toEqual({ status: "dead", reason: "HTTP 400" });
    expect(receiver.received.map(({ body }) => body)).toEqual(
      [..."abccd"].map((letter) => JSON.stringify(letter)),
    );
    await channel.send(frozen, going);
    expect(receiver.received).toHaveLength(9);
    await channel.close();
  });

  it("gives up what another kind has frozen", async () => {
    const channel = spelling.open({ url: receiver.origin }, toolsOf());
    expect(await channel.send(messageOf('{"other":1}'), going)).toEqual({
      status: "dead",
      reason: "the stored message cannot be read",
    });
    expect(receiver.received).toEqual([]);
    await channel.close();
  });
});
