import type { Notice, NoticeKind, Severity } from "../../model/index.ts";
/** 0: it is so now, and needs somebody. 1: it is over. 2: nobody needs to do anything. */
export type Tier = 0 | 1 | 2;

export interface Placed {
  readonly notice: Notice;
  /** Of its alert: one that fired and is over within the message is over. */
  readonly tier: Tier;
  /** It says what its alert is now; others say what it was. */
  readonly current: boolean;
}

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

/**
 * The notices of one message, oldest first, in the order in which people read them: what is so now, then
 * what is over, then information; within that by severity, then by rule. Those of one alert stay together
 * in their order, so that what fired and was over before anybody heard of it is told with both its times.
 */
export function inReadingOrder(notices: readonly Notice[]): readonly Placed[] {
  const own = standings(notices);
  const alerts = new Map<string, { tier: Tier; rank: number }>();
  const say = (key: string | null, tier: Tier, rank: number): void => {
    if (key === null) return;
    const known = alerts.get(key) ?? { tier, rank };
    if (tier < known.tier) known.tier = tier;
    known.rank = Math.min(known.rank, rank);
    alerts.set(key, known);
  };
  for (const { notice, tier } of own) say(alertOf(notice), tier, RANK[notice.severity]);
  return own
    .map((one, place) => {
      const key = alertOf(one.notice) ?? "";
      const alert = alerts.get(key) ?? { tier: one.tier, rank: RANK[one.notice.severity] };
      const current = one.current && one.tier === alert.tier;
      return { placed: { ...one, tier: alert.tier, current }, rank: alert.rank, place };
    })
    .toSorted(
      (a, b) =>
        a.placed.tier - b.placed.tier ||
        a.rank - b.rank ||
        byText(a.placed.notice.rule ?? "", b.placed.notice.rule ?? "") ||
        a.place - b.place,
    )
    .map(({ placed }) => placed);
}

/** The signs of what needs nobody: information, and what is over. */
const CALM: ReadonlySet<string> = new Set(["🔵 ", "🟢 "]);
/** The sign of what is not known, or is over without being well again. */
const WHITE = "⚪ ";

/**
 * Whose sign the whole has: a green or blue one over what has just fired, or is over without being well again, would be
 * read as good news, and a white one over what has just fired as nothing to act on.
 */
export function leadOf(sorted: readonly Placed[]): Notice | undefined {
  const [first] = sorted;
  const leading = sorted.filter(({ tier, current }) => current && tier === first?.tier);
  const bad = leading.filter(
    ({ tier, notice }) => tier !== 2 && !CALM.has(splitIcon(notice.headline).icon),
  );
  const grave = bad.find(({ notice }) => splitIcon(notice.headline).icon !== WHITE);
  return (grave ?? bad[0] ?? leading[0])?.notice;
}

/** What each notice says by itself, in the light of those that came later: `tier` is its own. */
function standings(notices: readonly Notice[]): readonly Placed[] {
  const ended = new Set<string>();
  const own: Placed[] = [];
  for (const notice of notices.toReversed()) {
    const { rule, subject, kind } = notice;
    const ends = endsOf(notice);
    const sides = sidesOf(notice);
    const isEnded = sides.some((side) => ended.has(sideKey(rule, subject, side)));
    if (ends) for (const side of sides) ended.add(sideKey(rule, subject, side));
    if (ends) own.push({ notice, tier: 1, current: true });
    else if (BEGINS[kind]) own.push({ notice, tier: isEnded ? 1 : 0, current: !isEnded });
    else own.push({ notice, tier: 2, current: true });
  }
  return own.toReversed();
}

type Side = "firing" | "data" | "event" | "source" | "self";

/** Whether a notice of a kind says that something is so which may need somebody; each kind has its place. */
const BEGINS: Readonly<Record<NoticeKind, boolean>> = {
  fired: true,
  worse: true,
  reminder: true,
  flapping: true,
  steady: true,
  changed: true,
  no_data: true,
  source_down: true,
  self: true,
  resolved: false,
  rule_removed: false,
  data_back: false,
  source_up: false,
  started: false,
  baseline: false,
  report: false,
  test: false,
};

const ENDS: ReadonlySet<NoticeKind> = new Set([
  "resolved",
  "rule_removed",
  "data_back",
  "source_up",
]);

/** What the daemon says of itself is over where it has the least severity. */
function endsOf({ kind, severity }: Notice): boolean {
  return ENDS.has(kind) || (kind === "self" && severity === "info");
}

/** What of an alert a notice is about; of one that is watched no more all is over. */
function sidesOf({ kind, gaps }: Notice): readonly Side[] {
  switch (kind) {
    case "rule_removed":
      return ["firing", "data"];
    case "no_data":
    case "data_back":
      return ["data"];
    case "source_down":
    case "source_up":
      return ["source"];
    case "self":
      return ["self"];
    case "changed":
      return ["event"];
    default:
      return [gaps === true ? "data" : "firing"];
  }
}

function sideKey(rule: string | null, subject: string | null, side: Side): string {
  return JSON.stringify([rule, subject, side]);
}

/** Null where no single alert speaks. */
function alertOf({ rule, subject }: Pick<Notice, "rule" | "subject">): string | null {
  return subject === null ? null : JSON.stringify([rule, subject]);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** A headline stands alone on a lock screen: so many characters. */
export const HEADLINE = 80;

/** A headline's sign and its sentence; `icon` ends with its space, and is empty where there is none. */
export function splitIcon(headline: string): { readonly icon: string; readonly text: string } {
  const match = /^(\p{Extended_Pictographic}\ufe0f? )/u.exec(headline);
  const icon = match?.[1] ?? "";
  return { icon, text: headline.slice(icon.length) };
}

/** Characters as people count them: code points. */
export function headlineLength(headline: string): number {
  return [...headline].length;
}
