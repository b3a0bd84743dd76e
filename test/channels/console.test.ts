import { describe, expect, it } from "vitest";
import type { Channel } from "../../src/channels/channel.ts";
import { consoleKind } from "../../src/channels/console.ts";
import { HOSTILE, hostileNotice, messageOf, noticeOf } from "../support/notices.ts";

function opened(colours: boolean): { channel: Channel; printed: string[] } {
  const printed: string[] = [];
  const print = (text: string): void => {
    printed.push(text);
  };
  return { channel: consoleKind.open({}, { print, colours }), printed };
}

const going = new AbortController().signal;

describe("the console channel", () => {
  it("prints the headline and, indented, what else there is", async () => {
    const { channel, printed } = opened(false);
    const notice = noticeOf({ title: "Mind the range", note: "Call Ann." });
    expect(await channel.send(messageOf(channel.render(notice)), going)).toEqual({
      status: "sent",
    });
    expect(printed).toEqual([
      `${[
        "🟠 Out of range: Treasury ETH/USDC. 2,310 > 2,250 USDC/ETH. Now all USDC",
        "    Mind the range",
        "    Call Ann.",
        "    Price  2,310 USDC per ETH",
        "    Chain  Ethereum",
        "    2,050 ├─────────────────────┤ 2,250  ● 2,310",
        "    USDC per ETH",
        "    ▁▅█",
        "    https://etherscan.io/nft/0x0/42",
        "    notice 0123456789abcdef",
      ].join("\n")}\n`,
    ]);
  });

  it("uses colours only where they are shown, and only its own", async () => {
    const { channel, printed } = opened(true);
    await channel.send(messageOf(channel.render(noticeOf())), going);
    expect(printed[0]?.startsWith("\u001B[1m🟠 Out of range")).toBe(true);
    expect(channel.render(noticeOf())).not.toContain("\u001B");
  });

  it.each(HOSTILE.map((text) => [text.slice(0, 20), text]))(
    "lets no control character of %j reach the terminal",
    async (_, text) => {
      for (const colours of [true, false]) {
        const { channel, printed } = opened(colours);
        await channel.send(messageOf(channel.render(hostileNotice(text))), going);
        // A body from a database that someone else wrote into is no different.
        await channel.send(messageOf(text), going);
        const own = colours ? ["\u001B[0m", "\u001B[1m", "\u001B[2m"] : [];
        const shown = own.reduce((left, one) => left.replaceAll(one, ""), printed.join(""));
        expect(shown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028\u202e\u200b]/u);
        for (const line of shown.split("\n")) expect([...line].length).toBeLessThan(1_010);
      }
    },
  );

  it("tries again when the output cannot be written", async () => {
    const print = (): void => {
      throw new Error("EPIPE");
    };
    const channel = consoleKind.open({}, { print, colours: false });
    expect((await channel.send(messageOf("x"), going)).status).toBe("retry");
  });

  it("has no settings", () => {
    expect(consoleKind.settings.safeParse({}).success).toBe(true);
    expect(consoleKind.settings.safeParse({ url: "x" }).success).toBe(false);
  });
});
