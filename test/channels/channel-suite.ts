import type { ServerResponse } from "node:http";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Channel, Outcome } from "../../src/channels/channel.ts";
import { digestOf } from "../../src/delivery/digest/digest.ts";
import { type Message, NOTICE_KINDS, type Notice } from "../../src/model/index.ts";
import { sampleNotice } from "../../src/operate/sample-notice.ts";
import { anyNotice } from "../support/any-notice.ts";
import { collectGarbage } from "../support/garbage.ts";
import { HOSTILE, hostileNotice, messageOf, noticeOf } from "../support/notices.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { propertyRuns } from "../support/tier.ts";

export interface HttpChannelCase {
  readonly kind: string;
  /** A channel that posts to the receiver, with `limitMs` for a whole request. */
  open(origin: string, limitMs: number): Channel;
  /** Where it posts. */
  readonly path: string;
  /** What must be seen nowhere but in a request. */
  readonly secrets: readonly string[];
  /** What a receiver of this kind answers when all is well. */
  readonly good: { readonly status: number; readonly body: string };
  /** A body with which the receiver refuses one message, with 400. */
  readonly refusal: string;
  /** What is posted for a frozen body, both parsed; absent: the same. */
  posted?(frozen: unknown): unknown;
  /** Expects a rendered body, parsed, to keep within the receiver's limits. */
  expectLimits(body: unknown): void;
  /** Expects that no text of it does anything to its reader; the texts were hostile. */
  expectHarmless(body: unknown): void;
}

const SECRET = "T0SECRET";
const LIMIT_MS = 10_000;
const AT = Date.UTC(2026, 10, 27, 15, 6);

/** What every channel that posts over HTTP must do; run it once for each kind. */
export function channelSuite(kase: HttpChannelCase): void {
  describe(`the channel kind ${kase.kind}`, () => {
    let receiver: Receiver;
    let channel: Channel;
    const going = new AbortController().signal;

    beforeEach(async () => {
      receiver = await startReceiver();
      channel = kase.open(receiver.origin, LIMIT_MS);
    });

    afterEach(async () => {
      await channel.close();
      await receiver.close();
    });

    const message = (): Message => messageOf(channel.render(noticeOf()));
    const send = async (signal: AbortSignal = going): Promise<Outcome> => {
      const outcome = await channel.send(message(), signal);
      expectNoSecret(outcome);
      return outcome;
    };
    const expectNoSecret = (outcome: Outcome): void => {
      const text = JSON.stringify(outcome);
      for (const part of [...kase.secrets, SECRET, receiver.origin]) {
        expect(text).not.toContain(part);
      }
    };
    const answer = (status: number, body = "", headers: Record<string, string> = {}): void =>
      receiver.answer((response: ServerResponse) => {
        response.writeHead(status, headers).end(body);
      });

    it("posts the frozen body to its URL and is done when the receiver says so", async () => {
      answer(kase.good.status, kase.good.body);
      expect(await send()).toEqual({ status: "sent" });
      const [first] = receiver.received;
      expect(first?.path).toBe(kase.path);
      expect(first?.headers["content-type"]).toBe("application/json");
      const frozen: unknown = JSON.parse(message().body);
      expect(JSON.parse(first?.body ?? "")).toEqual(kase.posted?.(frozen) ?? frozen);
    });

    it("sends the same bytes again on a retry", async () => {
      const frozen = message();
      answer(500, "oh no");
      await channel.send(frozen, going);
      answer(kase.good.status, kase.good.body);
      await channel.send(frozen, going);
      expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body);
    });

    it.each([408, 425, 429, 500, 502, 503, 504, 507, 599])(
      "tries again after %i",
      async (status) => {
        answer(status, `at ${SECRET} ${kase.secrets.join(" ")}`);
        expect((await send()).status).toBe("retry");
        expect(receiver.received).toHaveLength(1);
      },
    );

    it.each([300, 301, 302, 303, 307, 308, 401, 402, 403, 404, 405, 410, 418, 451])(
      "is parked by %i",
      async (status) => {
        answer(status, SECRET, { location: `${receiver.origin}/elsewhere` });
        expect((await send()).status).toBe("parked");
        // A redirect is not followed.
        expect(receiver.received).toHaveLength(1);
      },
    );

    it.each([400, 413, 422])("gives a message up after %i", async (status) => {
      answer(status, kase.refusal);
      expect((await send()).status).toBe("dead");
    });

    it("respects Retry-After in seconds and as a date", async () => {
      answer(429, "", { "retry-after": "30" });
      expect(await send()).toMatchObject({ status: "retry", afterMs: 30_000 });
      const now = Date.UTC(2026, 10, 27, 15);
      answer(503, "", {
        date: new Date(now).toUTCString(),
        "retry-after": new Date(now + 90_000).toUTCString(),
      });
      expect(await send()).toMatchObject({ status: "retry", afterMs: 90_000 });
    });

    it.each(["", "soon", "-5", "1e9"])("ignores a Retry-After of %j", async (value) => {
      answer(429, "", { "retry-after": value });
      expect(await send()).not.toHaveProperty("afterMs");
    });

    it("understands a Retry-After of any length", async () => {
      answer(429, "", { "retry-after": "99999999999999999999" });
      expect(await send()).toMatchObject({ status: "retry", afterMs: Number.MAX_SAFE_INTEGER });
    });

    it("tries again when the connection is refused", async () => {
      await receiver.close();
      expect((await send()).status).toBe("retry");
      receiver = await startReceiver();
    });

    it("tries again when the connection is cut before and within the answer", async () => {
      receiver.answer((response) => {
        response.socket?.resetAndDestroy();
      });
      expect((await send()).status).toBe("retry");
      receiver.answer((response) => {
        response.writeHead(200, { "content-length": "100" }).write("o", () => {
          response.socket?.destroy();
        });
      });
      expect((await send()).status).toBe("retry");
    });

    it("tries again when what answers does not speak HTTP", async () => {
      receiver.answer((response) => {
        response.socket?.end("\u0000\u0001 hello, this is not HTTP\r\n\r\n");
      });
      expect((await send()).status).toBe("retry");
    });

    it("tries again when no answer comes in time, or only its beginning", async () => {
      const hasty = kase.open(receiver.origin, 100);
      // The limit must hold whatever is collected meanwhile.
      receiver.answer(() => collectGarbage());
      expect(await hasty.send(message(), going)).toEqual({
        status: "retry",
        reason: "timed out",
      });
      receiver.answer((response) => {
        response.writeHead(200).write("o");
        setTimeout(collectGarbage, 20);
      });
      expect((await hasty.send(message(), going)).status).toBe("retry");
      await hasty.close();
    });

    it("breaks off when it is told to", async () => {
      receiver.answer(() => {});
      const stop = new AbortController();
      const arrived = receiver.next();
      const sending = send(stop.signal);
      await arrived;
      stop.abort();
      expect((await sending).status).toBe("retry");
    });

    it("reads only the beginning of an endless answer", async () => {
      receiver.answer((response) => {
        response.writeHead(500);
        const more = (): void => {
          while (!response.destroyed && response.write("x".repeat(65_536))) {
            // Until the pipe is full.
          }
        };
        response.on("drain", more);
        more();
      });
      expect((await send()).status).toBe("retry");
    });

    it("takes a web page for no delivery, even with 200", async () => {
      answer(200, "<html><body>Please log in</body></html>");
      expect((await send()).status).toBe("retry");
    });

    it("never repeats what a receiver says, unless it is a known word", async () => {
      const said = `${receiver.origin}${kase.path} ${SECRET} ${kase.secrets.join(" ")}`;
      answer(403, `no such hook: ${said}`);
      expect((await send()).status).toBe("parked");
      answer(400, said);
      expect((await send()).status).toBe("dead");
      answer(401, JSON.stringify({ ok: false, description: said, message: said, code: 0 }));
      expect((await send()).status).toBe("parked");
    });

    it("gives up a stored body that is no message", async () => {
      expect((await channel.send(messageOf("{not json"), going)).status).toBe("dead");
      expect(receiver.received).toHaveLength(0);
    });

    it("renders the same notice to the same body", () => {
      expect(channel.render(noticeOf())).toBe(channel.render(noticeOf()));
    });

    it("freezes no secret with a message", () => {
      for (const secret of kase.secrets) expect(message().body).not.toContain(secret);
    });

    it.each(HOSTILE.map((text) => [text.slice(0, 20), text]))(
      "delivers a notice full of %j, which does nothing to its reader",
      async (_, text) => {
        answer(kase.good.status, kase.good.body);
        const body = channel.render(hostileNotice(text));
        expect(await channel.send(messageOf(body), going)).toEqual({ status: "sent" });
        kase.expectHarmless(JSON.parse(body));
        kase.expectLimits(JSON.parse(body));
      },
    );

    it.each(NOTICE_KINDS)("delivers a sample of %s", async (kind) => {
      answer(kase.good.status, kase.good.body);
      const body = channel.render(sampleNotice(kind, AT));
      expect(await channel.send(messageOf(body), going)).toEqual({ status: "sent" });
      kase.expectLimits(JSON.parse(body));
    });

    it("keeps within the receiver's limits whatever it is to tell", () => {
      const check = (notice: Notice): void => {
        kase.expectLimits(JSON.parse(channel.render(notice)));
      };
      expect(() =>
        fc.assert(fc.property(anyNotice, check), { numRuns: propertyRuns(60) }),
      ).not.toThrow();
    });

    it("keeps within them however much it is to tell at once", () => {
      const several = fc.array(anyNotice, { minLength: 2, maxLength: 40 });
      const check = (notices: Notice[]): void => {
        const body = channel.render(digestOf(notices, "0123456789abcdef", channel.room));
        kase.expectLimits(JSON.parse(body));
      };
      // What programs read is never told so, and yet must not break them.
      expect(() =>
        fc.assert(fc.property(several, check), { numRuns: propertyRuns(25) }),
      ).not.toThrow();
    });
  });
}
