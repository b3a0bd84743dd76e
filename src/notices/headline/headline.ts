import { formatDuration } from "../../base/duration.ts";
import type { AlertEvent } from "../../decide/event.ts";
import {
  endingOf,
  fitLine,
  type HeadlineContext,
  headlineContext,
  type Line,
  NEUTRAL_ICON,
} from "../wording.ts";
import { eventLines } from "./event-lines.ts";
import {
  dataBackLine,
  endingIcon,
  firedWithoutDataLine,
  flappingLine,
  noDataLine,
  resolvedLines,
  steadyLine,
  stillLines,
  worseLines,
} from "./later-lines.ts";
import { changeLines, isLasting, lastingLines, levelLines } from "./level-lines.ts";
import { firedRangeLine } from "./range-lines.ts";

/** The first line of a notice about one alert, at most 80 characters, standing alone. */
export function alertHeadline(event: AlertEvent): string {
  const context = headlineContext(event);
  return fitLine([...linesOf(context), plainest(context)]);
}

/** From the richest to the plainest. */
function linesOf(context: HeadlineContext): readonly Line[] {
  const { event, spoken } = context;
  switch (event.kind) {
    case "fired": {
      if (event.more?.byMissing === true) return [firedWithoutDataLine(context)];
      const first = firedTails(context);
      return firedLines(context).map((line) => ({ ...line, tails: [...first, ...line.tails] }));
    }
    case "worse":
      return worseLines(context, firedLines(context));
    case "reminder":
      return stillLines(context, firedLines(context));
    case "flapping":
      return [flappingLine(context)];
    case "steady":
      return [steadyLine(context)];
    case "resolved":
      return resolvedLines(context);
    case "changed":
      return spoken === null ? [] : eventLines(context, spoken);
    case "no_data":
      return [noDataLine(context)];
    case "data_back":
      return [dataBackLine(context)];
  }
}

function firedLines(context: HeadlineContext): readonly Line[] {
  const { spoken, icon, tail } = context;
  if (spoken === null) return [];
  const { metric, value, comparison } = spoken;
  if (metric.name === "in_range" && typeof value === "boolean") {
    return [firedRangeLine(context, value)];
  }
  if ("span" in comparison) return changeLines(context, spoken, comparison);
  if (isLasting(comparison)) return lastingLines(context, spoken, comparison);
  return levelLines(context, spoken, icon, [tail]);
}

/** The line that always fits: it has no number that could be cut. */
function plainest({ event, name, icon }: HeadlineContext): Line {
  const before =
    event.kind === "resolved" ? endingIcon(endingOf(event).how) : (ICONS[event.kind] ?? icon);
  return { before: `${before} ${WHAT[event.kind]}: `, name, after: "", tails: [] };
}

/** In place of the severity's. */
const ICONS: Partial<Record<AlertEvent["kind"], string>> = {
  no_data: NEUTRAL_ICON,
  data_back: NEUTRAL_ICON,
};

const WHAT: Readonly<Record<AlertEvent["kind"], string>> = {
  changed: "Changed",
  fired: "Firing",
  resolved: "Resolved",
  no_data: "No data",
  data_back: "Data back",
  worse: "Worse",
  reminder: "Still firing",
  flapping: "Flapping",
  steady: "Steady, still firing",
};

/** A position that holds nothing any more, whatever it is that fires on it, or what is told later than it happened. */
function firedTails({ event }: HeadlineContext): readonly string[] {
  const { firedAt } = event.after;
  const isLate = firedAt !== null && firedAt < event.at;
  const late = isLate ? formatDuration(event.at - firedAt) : "";
  return [
    ...(isLate ? [event.more?.past === true ? `. Fired ${late} ago` : `. Since ${late}`] : []),
    ...(event.closed ? [". Position closed"] : []),
  ];
}
