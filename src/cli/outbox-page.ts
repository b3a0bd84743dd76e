import { formatDuration } from "../base/duration.ts";
import { cleanText, countOf } from "../base/text.ts";
import { matches, mutedUntil } from "../delivery/suppress/hold.ts";
import type { Setup, Silence } from "../model/index.ts";
import type { OutboxEntry } from "../store/operator-db/outbox-entries.ts";
import { iso, table } from "./report.ts";

/** As wide as the table may make a headline or an error. */
const WIDEST = 80;
/** Of a body that goes on, the rest is in `--json`. */
const MOST_BODY = 4_000;

/** What people read; `--json` has the names that are stored. */
const STATE_WORDS: Readonly<Record<OutboxEntry["state"], string>> = {
  owed: "queued",
  held: "suppressed",
  due: "due",
  waiting: "retrying",
  sent: "delivered",
  dead: "dead letter",
};

/** What a list shows, for people. `count`: how many there are in all. */
export function listPage(
  shown: readonly OutboxEntry[],
  count: number,
  dead: boolean,
  store: string,
  now: number,
  reasons: HeldReasons | null = null,
): string {
  if (count === 0) {
    return dead ? `no dead letters in ${store}` : `no queued messages in ${store}`;
  }
  const rows = shown.map((entry) => [
    entry.id,
    entry.channel,
    STATE_WORDS[entry.state],
    whenOf(entry, now),
    String(entry.sends),
    about(entry, reasons),
  ]);
  const head = ["id", "channel", "state", dead ? "given up" : "when", "sends", "what"];
  const more = count - shown.length;
  return [
    table(head, rows),
    ...(more > 0 ? [`and ${countOf(more, "other")}; --limit shows more`] : []),
  ].join("\n");
}

function whenOf({ state, since, until, settledAt }: OutboxEntry, now: number): string {
  switch (state) {
    case "waiting":
    case "held":
      return until === null || until <= now ? "now" : `in ${formatDuration(until - now)}`;
    case "dead":
    case "sent":
      return `${formatDuration(now - (settledAt ?? since))} ago`;
    case "due":
    case "owed":
      return "now";
  }
}

function about(entry: OutboxEntry, reasons: HeldReasons | null): string {
  const { notices, error } = entry;
  const [first] = notices;
  const held = entry.state === "held" ? (reasons?.of(entry) ?? []) : [];
  const by = held.length === 0 ? "" : ` (${held.join(", ")})`;
  const others = notices.length > 1 ? ` and ${notices.length - 1} more` : "";
  const trouble = error === null ? "" : ` (${cleanText(error, WIDEST)})`;
  return `${cleanText(first?.headline ?? "", WIDEST)}${others}${by}${trouble}`;
}

/** One message with all that is known of it, for people. */
export function entryPage(entry: OutboxEntry, body: string | null): string {
  const { id, channel, state, sends, since, until, settledAt, error, notices } = entry;
  const facts: readonly (readonly [string, string | null])[] = [
    ["message", id],
    ["channel", channel],
    ["state", STATE_WORDS[state]],
    ["sends", String(sends)],
    ["since", iso(since)],
    [state === "held" ? "suppressed until" : "next try", iso(until)],
    [state === "sent" ? "delivered" : "given up", iso(settledAt)],
    ["trouble", error === null ? null : cleanText(error, 300)],
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  return [
    ...facts.flatMap(([name, value]) =>
      value === null ? [] : [`${name.padEnd(width)}  ${value}`],
    ),
    "",
    ...notices.flatMap(({ id: notice, kind, rule, at, headline }) => [
      cleanText(headline, 200),
      `  ${[kind, rule === null ? null : cleanText(rule), iso(at), notice].filter(Boolean).join(", ")}`,
    ]),
    "",
    body === null || body === "" ? "no body yet" : bodyLines(body),
  ].join("\n");
}

/** A terminal gets visible characters only, line by line. */
function bodyLines(body: string): string {
  const cut = body.length > MOST_BODY;
  const lines = body.slice(0, MOST_BODY).split("\n");
  const clean = lines.map((line) => cleanText(line, MOST_BODY));
  return [...clean, ...(cut ? ["… (--json has all of it)"] : [])].join("\n");
}

export function listJson(
  shown: readonly OutboxEntry[],
  count: number,
  reasons: HeldReasons | null = null,
): unknown {
  const messages = shown.map((entry) =>
    entry.state === "held" && reasons !== null
      ? { ...entryJson(entry), held_by: reasons.of(entry) }
      : entryJson(entry),
  );
  return { count, messages };
}

export function entryJson(entry: OutboxEntry): Readonly<Record<string, unknown>> {
  const { since, until, settledAt, notices, ...plain } = entry;
  return {
    ...plain,
    since: iso(since),
    until: iso(until),
    settled_at: iso(settledAt),
    notices: notices.map(({ id, kind, severity, rule, subject, at, headline }) => ({
      id,
      kind,
      severity,
      rule,
      subject,
      at: iso(at),
      headline,
    })),
  };
}

/** Why entries of the outbox are held back at `now`: by which silences, or by a mute. */
export interface HeldReasons {
  /** `silence 3`, `mute`; both may be. Empty: nothing holds it any more, and it is told soon. */
  of(entry: OutboxEntry): readonly string[];
}

/** `silences` are all that are kept. */
export function heldReasons(setup: Setup, kept: readonly Silence[], now: number): HeldReasons {
  const silences = kept.filter(({ startsAt, endsAt }) => startsAt <= now && now < endsAt);
  const rules = new Map(setup.rules.map((rule) => [rule.name, rule]));
  return {
    of({ channel, notices: [notice] }) {
      if (notice === undefined || notice.rule === null) return [];
      const lists = rules.get(notice.rule)?.mutes.get(channel) ?? [];
      return [
        ...silences.filter((one) => matches(one, notice)).map(({ id }) => `silence ${id}`),
        ...(mutedUntil(lists, now) === null ? [] : ["mute"]),
      ];
    },
  };
}
