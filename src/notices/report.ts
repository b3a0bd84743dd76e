import { formatTime } from "../base/clock.ts";
import { cleanText } from "../base/text.ts";
import type { LinePicture, Notice } from "../model/index.ts";
import { noticeId } from "./notice.ts";
import { bareNotice } from "./notice-fields.ts";
import { fitLine } from "./wording.ts";

/** How the rules of a report stand at one moment. */
export interface ReportFacts {
  readonly name: string;
  /** The moment that it tells of, and the time at which it was due: epoch milliseconds. */
  readonly at: number;
  readonly due: number;
  readonly alerts: number;
  readonly firing: number;
  readonly withoutData: number;
  /** Whether everything is watched. */
  readonly watched: string;
  /** One for each rule, the most urgent first. */
  readonly lines: readonly ReportLine[];
}

export interface ReportLine {
  readonly rule: string;
  readonly text: string;
  /** It needs nobody. */
  readonly calm: boolean;
  readonly picture: LinePicture | null;
}

/** A report is no alert, and its first line does not look like one. */
const ICON = "📋";
/** With the headline, the link to the page and the notice's id it has 12 lines. */
const MOST_FIELDS = 9;
/** A report that is later by more than this says so. */
const LATE_MS = 120_000;
const LONGEST_NAME = 40;
const LONGEST_LINE = 240;

/** A report as channels are told it, in at most 12 lines; what finds no place is counted. */
export function composeReport(facts: ReportFacts): Notice {
  const { name, at, due, lines } = facts;
  const isLate = at - due > LATE_MS;
  const room = MOST_FIELDS - 1 - (isLate ? 1 : 0);
  const shown = lines.length > room ? lines.slice(0, room - 1) : lines;
  const rest = lines.slice(shown.length);
  const late = `${formatTime(due)}: tickwatch was not running then`;
  const rows: readonly (readonly [string, string, LinePicture | null])[] = [
    ["Watched", facts.watched, null],
    ...(isLate ? [["Was due", late, null] as const] : []),
    ...shown.map(({ rule, text, picture }) => [rule, text, picture] as const),
    ...(rest.length === 0 ? [] : [["More", moreText(rest), null] as const]),
  ];
  return bareNotice({
    id: noticeId("report", null, name, due),
    kind: "report",
    severity: "info",
    subject: `report:${name}`,
    at,
    headline: fitLine([
      { before: `${ICON} `, name: cleanText(name), after: `: ${sum(facts)}`, tails: [] },
    ]),
    fields: rows.map(([field, value]) => ({
      name: cleanText(field, LONGEST_NAME),
      value: cleanText(value, LONGEST_LINE),
    })),
    pictures: rows.map(([, , picture]) => picture),
  });
}

/** `2 of 37 alerts firing, 1 without data`, `all 37 alerts ok`. */
function sum({ alerts, firing, withoutData }: ReportFacts): string {
  if (alerts === 0) return "no alert is watched";
  const what = alerts === 1 ? "alert" : "alerts";
  const missing = withoutData === 0 ? "" : `, ${withoutData} without data`;
  if (firing === 0 && withoutData === 0)
    return alerts === 1 ? "1 alert ok" : `all ${alerts} alerts ok`;
  return `${firing} of ${alerts} ${what} firing${missing}`;
}

function moreText(rest: readonly ReportLine[]): string {
  const loud = rest.filter(({ calm }) => !calm).length;
  const rules = rest.length === 1 ? "1 more rule" : `${rest.length} more rules`;
  return loud === 0 ? `${rules}, all ok` : `${rules}, ${loud} of them not ok`;
}
