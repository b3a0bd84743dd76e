import { pino } from "pino";
import { describe, expect, it } from "vitest";
import type { Channel } from "../../src/channels/channel.ts";
import { consoleKind } from "../../src/channels/console.ts";
import { startDelivery } from "../../src/delivery/deliver.ts";
import { digestOf } from "../../src/delivery/digest/digest.ts";
import { localize } from "../../src/delivery/localize.ts";
import { NO_CHANGE } from "../../src/model/index.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { noticeOf } from "../support/notices.ts";

const BERLIN = "Europe/Berlin";
const HOUR = 3_600_000;
const GAS = noticeOf({
  headline: "🟠 Ethereum tip 7.4 gwei, limit 5. Top 10%, average of 14:00-15:00 UTC",
  note: "Since 2026-11-27 15:06 UTC.",
  title: "Seen at 2026-11-27 15:06:07 UTC",
  fields: [
    { name: "Since", value: "2026-11-27 15:06 UTC, held for 5 min before" },
    { name: "Bucket", value: "2026-11-27, 14:00-15:00 UTC" },
  ],
  bucket: { start: Date.UTC(2026, 10, 27, 14), ms: HOUR },
});

describe("a notice in the zone of its channel", () => {
  it("has its times in it, with UTC beside them", () => {
    expect(localize(GAS, BERLIN)).toEqual({
      ...GAS,
      // UTC as well is too long for a lock screen.
      headline: "🟠 Ethereum tip 7.4 gwei, limit 5. Top 10%, average of 15:00-16:00 CET",
      note: "Since 2026-11-27 16:06 CET (15:06 UTC).",
      title: "Seen at 2026-11-27 16:06:07 CET (15:06:07 UTC)",
      fields: [
        { name: "Since", value: "2026-11-27 16:06 CET (15:06 UTC), held for 5 min before" },
        { name: "Bucket", value: "2026-11-27, 15:00-16:00 CET (14:00-15:00 UTC)" },
      ],
    });
    const short = { ...GAS, headline: "🟠 Tip 7.4 gwei, limit 5. 14:00-15:00 UTC" };
    expect(localize(short, BERLIN).headline).toBe(
      "🟠 Tip 7.4 gwei, limit 5. 15:00-16:00 CET (14:00-15:00 UTC)",
    );
  });

  it("is what it was without a zone, and where a time cannot be told", () => {
    expect(localize(GAS, "UTC")).toBe(GAS);
    const strange = noticeOf({
      headline: "🟠 Tip. Average of 14:00-15:00 UTC",
      note: "2026-13-45 99:00 UTC, 12026-11-27 15:06 UTC, 2026-11-27 UTC, 2026-11-27 15:06 UTCX",
    });
    expect(localize(strange, BERLIN)).toEqual(strange);
    // Hours of another bucket than the notice is about: of which day, nobody knows.
    const another = { ...GAS, headline: "🟠 Tip", note: "Before: 09:00-10:00 UTC", title: null };
    expect(localize(another, BERLIN).note).toBe("Before: 09:00-10:00 UTC");
  });

  it("never has a headline beyond 80 characters", () => {
    const headline = `🟠 Steady, still firing since 2026-11-27 11:54 UTC: ${"x".repeat(29)}`;
    expect([...headline]).toHaveLength(80);
    expect(localize(noticeOf({ headline }), BERLIN).headline).toBe(
      headline.replace("11:54 UTC", "12:54 CET"),
    );
    // Nothing shorter is left to say.
    expect(localize(noticeOf({ headline }), "Asia/Kathmandu").headline).toBe(headline);
  });

  it("is one of many with its own time", () => {
    const at = Date.UTC(2026, 10, 27, 23, 30);
    const digest = digestOf([GAS, noticeOf({ id: "b", at, rule: "tips" })], "m", undefined, BERLIN);
    expect(digest.fields).toEqual([
      {
        name: "2026-11-27 16:06 CET (15:06 UTC)",
        value: `${localize(GAS, BERLIN).headline} (my-range) · ${localize(GAS, BERLIN).title}`,
      },
      {
        name: "2026-11-28 00:30 CET (2026-11-27 23:30 UTC)",
        value: `${noticeOf().headline} (tips)`,
      },
    ]);
    expect(digest.note).toBe("Since 2026-11-27 16:06 CET (15:06 UTC). (my-range)");
  });

  it("goes to each channel in its own", async () => {
    const told = new Map<string, string>();
    const channel = (name: string): Channel =>
      consoleKind.open({}, { colours: false, print: (text) => told.set(name, text) });
    const store = createMemoryStore();
    const names = ["home", "away", "plain"];
    await store.commit({ ...NO_CHANGE, notices: [{ notice: GAS, channels: names }] });
    const delivery = startDelivery({
      store,
      channels: new Map(names.map((name) => [name, channel(name)])),
      zones: new Map([
        ["home", BERLIN],
        ["away", "America/New_York"],
      ]),
      clock: createFakeClock(GAS.at),
      log: pino({ level: "silent" }),
    });
    await delivery.idle();
    await delivery.stop();
    expect(told.get("home")).toContain("Since 2026-11-27 16:06 CET (15:06 UTC).");
    expect(told.get("away")).toContain("Since 2026-11-27 10:06 EST (15:06 UTC).");
    expect(told.get("plain")).toContain("Since 2026-11-27 15:06 UTC.");
  });
});
