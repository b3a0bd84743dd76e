import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Room } from "../../../src/channels/channel.ts";
import { consoleKind } from "../../../src/channels/console.ts";
import { DISCORD_ROOM, discordMessage } from "../../../src/channels/discord.ts";
import { freezeMail } from "../../../src/channels/email-body.ts";
import { plainPayload, SLACK_ROOM, slackPayload } from "../../../src/channels/slack-message.ts";
import { TELEGRAM_ROOM, telegramMessage } from "../../../src/channels/telegram.ts";
import { digestOf } from "../../../src/delivery/digest/digest.ts";
import { digestLines } from "../../../src/delivery/digest/digest-lines.ts";
import { inReadingOrder } from "../../../src/delivery/digest/digest-order.ts";
import type { Notice, NoticeKind } from "../../../src/model/index.ts";
import { messageOf, noticeOf } from "../../support/notices.ts";
import { propertyRuns } from "../../support/tier.ts";

/** What a person sees of a message, by channel. */
const SEEN: Readonly<Record<string, { room: Room | undefined; seen: (digest: Notice) => string }>> =
  {
    console: { room: undefined, seen: printed },
    mail: { room: undefined, seen: (digest) => freezeMail(digest).text },
    slack: {
      room: SLACK_ROOM,
      seen: (digest) => plainPayload({ ...slackPayload(digest) })?.text ?? "",
    },
    telegram: { room: TELEGRAM_ROOM, seen: (digest) => telegramMessage(digest).text },
    discord: {
      room: DISCORD_ROOM,
      seen: (digest) => {
        const [{ title, description, fields }] = discordMessage(digest).embeds;
        const lines = fields.map(({ name, value }) => `${name}: ${value}`);
        return [title, description, ...lines].join("\n");
      },
    },
  };

function printed(digest: Notice): string {
  const texts: string[] = [];
  const print = (text: string): void => {
    texts.push(text);
  };
  const channel = consoleKind.open({}, { print, colours: false });
  void channel.send(messageOf(channel.render(digest)), new AbortController().signal);
  return texts.join("");
}

const KINDS = ["fired", "worse", "reminder", "resolved", "rule_removed", "started"] as const;
const ICONS: Readonly<Partial<Record<NoticeKind, string>>> = { resolved: "🟢", started: "🔵" };

interface Happening {
  readonly kind: (typeof KINDS)[number];
  readonly rule: number;
  readonly subject: number;
  readonly severity: Notice["severity"];
}

const happening: fc.Arbitrary<Happening> = fc.record({
  kind: fc.constantFrom(...KINDS),
  rule: fc.nat(30),
  subject: fc.nat(30),
  severity: fc.constantFrom("info" as const, "warning" as const, "critical" as const),
});

const labelOf = (rule: number, subject: number, long: boolean): string =>
  `Pool${rule}x${subject}y${long ? " of a long name that goes on and on".padEnd(40, "x") : ""}`;

/** The notices, and by label whether it fires at their end. */
function told(happenings: readonly Happening[], long: boolean): [Notice[], Map<string, boolean>] {
  const fires = new Map<string, boolean>();
  const notices = happenings.map(({ kind, rule, subject, severity }, i): Notice => {
    const own = { id: String(i), kind, severity };
    if (kind === "started") {
      return noticeOf({ ...own, rule: null, subject: null, headline: "🔵 Watching 40 subjects" });
    }
    const label = labelOf(rule, subject, long);
    fires.set(label, kind !== "resolved" && kind !== "rule_removed");
    const headline = `${ICONS[kind] ?? "🟠"} ${kind}: ${label}`;
    return noticeOf({ ...own, rule: `rule-${rule}`, subject: `s${subject}`, label, headline });
  });
  return [notices, fires];
}

/** `and 7 more notices`: all of them. */
function countedIn(value: string): number {
  return [...value.matchAll(/(\d+) more/g)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Of a line of names: five times as long, as escapes may make it, it is still one field of Slack's. */
const LONGEST_NAMES = 380;
/** A name after one of another rule has its rule before it. */
const ROOM_AT_END = "rule-30: ".length;

function labelsIn(names: string): readonly string[] {
  return names.split(/[,;] /).map((name) => name.replace(/^.*: /, ""));
}

/** The names of alerts, which no channel changes. */
const LABEL = /Pool(\d+)x(\d+)y/g;

describe("a message of many notices", () => {
  it.each(Object.entries(SEEN))("names in %s each alert that fires, or counts it", (_, where) => {
    const several = fc.array(happening, { minLength: 2, maxLength: 200, size: "max" });
    fc.assert(
      fc.property(several, fc.boolean(), (happenings, long) => {
        const [notices, fires] = told(happenings, long);
        const digest = digestOf(notices, "m", where.room);
        const text = where.seen(digest);
        const named = new Set([...text.matchAll(LABEL)].map(([, r, s]) => `${r}/${s}`));
        const missing = [...fires].filter(([label, firing]) => {
          const [, rule, subject] = /(\d+)x(\d+)y/.exec(label) ?? [];
          return firing && !named.has(`${rule}/${subject}`);
        });
        const last = digest.fields.at(-1);
        const counted = last?.name === "More" ? countedIn(last.value) : 0;
        expect(missing.length).toBeLessThanOrEqual(counted);
        // The channel itself leaves nothing out of what was made for it.
        for (const { name } of digest.fields) expect(text).toContain(name);
        expect(text.match(/\d+ more/g) ?? []).toEqual(last?.value.match(/\d+ more/g) ?? []);
        // Nothing is counted while there is room for names.
        if (counted > 0 && where.room !== undefined) {
          expect(digest.fields.length).toBeLessThanOrEqual(where.room.fields);
          const usable = Math.min(where.room.characters, where.room.fields * LONGEST_NAMES);
          if (text.length <= usable * 0.8) {
            // Characters are left only because whole lines of what fires took all the lines there are:
            // none of it is merely counted then, and nothing calm has a line of its own.
            expect(digest.fields).toHaveLength(where.room.fields);
            expect(missing).toEqual([]);
            const whole = digest.fields.filter(({ name }) => /^\d{4}-/.test(name));
            expect(whole.length).toBeGreaterThan(0);
            for (const { value } of whole) {
              const [key = ""] = /Pool\d+x\d+y/.exec(value) ?? [];
              const own = [...fires].find(([label]) => label.startsWith(key));
              expect([key, own?.[1]]).toEqual([expect.stringContaining("Pool"), true]);
            }
          }
          // A line of names goes on for as long as the next name finds room in it.
          for (const [i, { name, value }] of digest.fields.entries()) {
            const next = digest.fields[i + 1];
            if (!name.startsWith("Also ") || next?.name !== name) continue;
            const label = labelsIn(next.value)[0] ?? "";
            // What is over begins a line of its own.
            if (fires.get(label) !== fires.get(labelsIn(value).at(-1) ?? "")) continue;
            expect(value.length + label.length + 2).toBeGreaterThan(LONGEST_NAMES - ROOM_AT_END);
          }
        }
      }),
      { numRuns: propertyRuns(25), endOnFailure: true },
    );
  });

  it.each(Object.entries(SEEN))("has in %s nothing calm before what fires", (_, { room }) => {
    const several = fc.array(happening, { minLength: 2, maxLength: 60, size: "max" });
    fc.assert(
      fc.property(several, fc.boolean(), (happenings, long) => {
        const [notices, fires] = told(happenings, long);
        const isFiring = new Map(
          [...fires].map(([label, firing]) => [/\d+x\d+(?=y)/.exec(label)?.[0] ?? "", firing]),
        );
        const { fields } = digestOf(notices, "m", room);
        const lines = fields.map(({ value }) =>
          [...value.matchAll(LABEL)].map(([, rule, subject]) => `${rule}x${subject}`),
        );
        const lastFiring = lines.findLastIndex((line) => line.some((one) => isFiring.get(one)));
        const firstCalm = lines.findIndex(
          (line) => line.length > 0 && line.every((one) => isFiring.get(one) === false),
        );
        expect(firstCalm < 0 || firstCalm > lastFiring).toBe(true);
      }),
      { numRuns: propertyRuns(40), endOnFailure: true },
    );
  });
});

describe("the lines of a message", () => {
  const sorted = inReadingOrder(
    Array.from({ length: 60 }, (_, i) =>
      noticeOf({ id: `n${i}`, kind: KINDS[i % KINDS.length] ?? "fired", subject: `s${i}` }),
    ),
  );
  const style = { rules: false, titles: false, zone: "UTC" };

  it.each([1, 2, 3, 4, 5, 6, 7, 12])(
    "never take more than their room of %i fields, where even names do not fit",
    (fields) => {
      for (let characters = 70; characters < 2_000; characters += 13) {
        const lines = digestLines(sorted, style, { fields, characters });
        const used = lines.reduce(
          (sum, { name, value }) => sum + name.length + value.length + 3,
          0,
        );
        expect(lines.length).toBeLessThanOrEqual(fields);
        // A receiver refuses a message that is too long, and nobody is told.
        expect(used).toBeLessThanOrEqual(characters);
      }
    },
  );

  const LINK = "https://etherscan.io/address/0x00";
  const began = (i: number, more: Partial<Notice> = {}): Notice =>
    noticeOf({ id: `n${i}`, subject: `s${i}`, began: true, link: LINK, ...more });

  it("count what a channel puts around their links", () => {
    const some = inReadingOrder(Array.from({ length: 6 }, (_, i) => began(i)));
    let linked = 0;
    for (let characters = 200; characters < 2_000; characters += 1) {
      const lines = digestLines(some, style, { fields: 10, characters });
      const used = lines.reduce((sum, { name, value }) => {
        const around = value.endsWith(LINK) ? "[Block explorer](<>)".length : 0;
        return sum + name.length + value.length + 3 + around;
      }, 0);
      if (lines.some(({ value }) => value.endsWith(LINK))) linked += 1;
      expect(used).toBeLessThanOrEqual(characters);
    }
    expect(linked).toBeGreaterThan(0);
  });

  it("are each short enough for a field of Slack's, whatever is in them", () => {
    const titles = { ...style, titles: true, zone: "Europe/Berlin" };
    for (let length = 150; length < 400; length += 1) {
      const [line] = digestLines(
        inReadingOrder([began(1, { title: "x".repeat(length) })]),
        titles,
        { fields: 10, characters: 60_000 },
      );
      expect([...(line?.value ?? "")].length).toBeLessThanOrEqual(320);
      expect(line?.value).toContain("already firing at the start");
    }
    for (const { value } of digestLines(sorted, style, { fields: 4, characters: 60_000 })) {
      expect(value.length).toBeLessThanOrEqual(LONGEST_NAMES);
    }
    const many = Array.from({ length: 200 }, (_, i) => began(i, { label: "y".repeat(40) }));
    const lines = digestLines(inReadingOrder(many), style, { fields: 30, characters: 60_000 });
    expect(lines.length).toBeGreaterThan(1);
    for (const { value } of lines) expect(value.length).toBeLessThanOrEqual(LONGEST_NAMES);
  });

  it("name each of them where no whole line leaves room for that", () => {
    const some = Array.from({ length: 40 }, (_, i) =>
      noticeOf({ id: `n${i}`, subject: `s${i}`, label: "y".repeat(36) }),
    );
    const lines = digestLines(inReadingOrder(some), style, { fields: 4, characters: 60_000 });
    expect(lines.map(({ name }) => name)).toEqual(["Fired", "Fired", "Fired", "Fired"]);
  });

  it("name the calm rather than give it lines of its own, where not all of it is named", () => {
    const calm = Array.from({ length: 200 }, (_, i) =>
      noticeOf({ id: `c${i}`, kind: "resolved", subject: `c${i}`, label: "y".repeat(40) }),
    );
    const fires = [1, 2, 3].map((i) => noticeOf({ id: `f${i}`, subject: `f${i}` }));
    const lines = digestLines(inReadingOrder([...calm, ...fires]), style, {
      fields: 6,
      characters: 60_000,
    });
    const names = lines.map(({ name }) => name.replace(/^\d.*/, "time"));
    expect(names).toEqual(["time", "time", "time", "Also resolved", "Also resolved", "More"]);
  });
});

describe("a message as a whole", () => {
  const room: Room = { fields: 10, characters: 1_500 };
  const lengthOf = ({ title, note, fields }: Notice): number =>
    fields.reduce(
      (sum, { name, value }) => sum + name.length + value.length + 3,
      (title ?? "").length + (note ?? "").length,
    );

  it.each<Partial<Notice>>([{ title: "t".repeat(500) }, { note: "n".repeat(900) }])(
    "keeps to its room with what stands above its lines",
    (more) => {
      const notices = Array.from({ length: 60 }, (_, i) =>
        noticeOf({ id: `n${i}`, subject: `s${i}`, ...more }),
      );
      expect(lengthOf(digestOf(notices, "m", room))).toBeLessThanOrEqual(room.characters);
    },
  );

  it("has a note and a headline of their own lengths", () => {
    for (let length = 1; length < 120; length += 1) {
      const notices = [900, length, 900].map((size, i) =>
        noticeOf({
          id: `n${i}`,
          subject: `s${i}`,
          note: `${i}`.repeat(size),
          headline: `🟠 ${"h".repeat(length)}`,
        }),
      );
      const { note, headline } = digestOf(notices, "m");
      expect((note ?? "").length).toBeLessThanOrEqual(1_000);
      expect([...headline].length).toBeLessThanOrEqual(80);
    }
  });

  it("says that the same became of some only of one rule, and where all of them say the same", () => {
    const group = { of: 12, became: "went out of range" };
    const of = (...given: Partial<Notice>[]): string =>
      digestOf(
        given.map((one, i) => noticeOf({ id: `n${i}`, subject: `s${i}`, group, ...one })),
        "m",
      ).headline;
    const said = "2 of 12 went out of range";
    expect(of({}, {})).toContain(said);
    expect(of({}, { rule: "another" })).not.toContain(said);
    expect(of({}, { kind: "reminder" })).not.toContain(said);
  });
});
