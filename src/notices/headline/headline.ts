import type { AlertEvent } from "../../decide/event.ts";
import { endingOf } from "../ending.ts";
import { BLIND_ICON, chainTail, SEVERITY_ICONS, subjectName } from "../wording.ts";
import {
  closedLines,
  countedLines,
  dataBackLine,
  firedWithoutDataLine,
  flappingLine,
  lateLines,
  noDataLine,
  steadyLine,
  stillLines,
  worseLines,
} from "./again-lines.ts";
import { changeLines } from "./change-lines.ts";
import { entryLines, heldLines } from "./entry-lines.ts";
import { eventLines, firedRangeLine } from "./event-lines.ts";
import { fitLine, type Line } from "./fit.ts";
import { isLasting, lastingLines, levelLines } from "./level-lines.ts";
import { endingIcon, resolvedLines } from "./resolved-lines.ts";

/** The first line of a notice about one alert, at most 80 characters, standing alone. */
export function alertHeadline(event: AlertEvent): string {
  const name = subjectName(event.subject, event.description, event.after.label);
  return fitLine([...linesOf(event, name, chainTail(event, name)), plainest(event, name)]);
}

/** From the richest to the plainest; `tail` names the chain, unless the name does. */
function linesOf(event: AlertEvent, name: string, tail: string): readonly Line[] {
  switch (event.kind) {
    case "fired":
      return event.more?.byMissing === true
        ? [firedWithoutDataLine(event, name)]
        : lateLines(event, closedLines(event, firedLines(event, name, tail)));
    case "worse":
      return worseLines(firedLines(event, name, tail), SEVERITY_ICONS[event.rule.severity]);
    case "reminder":
      return stillLines(event, firedLines(event, name, tail), SEVERITY_ICONS[event.rule.severity]);
    case "flapping":
      return [flappingLine(event, name, tail)];
    case "steady":
      return [steadyLine(event, name)];
    case "resolved":
      return resolvedLines(event, name, tail);
    case "changed":
      return event.evidence === null
        ? []
        : [
            ...heldLines(event, event.evidence, name, tail),
            ...countedLines(event, [
              ...entryLines(event, event.evidence, name, tail),
              ...eventLines(event, event.evidence, name, tail),
            ]),
          ];
    case "no_data":
      return [noDataLine(event, name, tail)];
    case "data_back":
      return [dataBackLine(event, name, tail)];
  }
}

function firedLines(event: AlertEvent, name: string, tail: string): readonly Line[] {
  const { evidence, description, rule } = event;
  if (evidence === null) return [];
  const icon = SEVERITY_ICONS[rule.severity];
  const { metric, value, comparison } = evidence;
  if (metric.name === "in_range" && typeof value === "boolean") {
    const news = { name, inRange: value, range: description?.range ?? null };
    return [firedRangeLine(news, icon, tail)];
  }
  if (comparison.op === "rises" || comparison.op === "falls" || comparison.op === "moves") {
    return changeLines(event, evidence, comparison, name, tail);
  }
  if (isLasting(comparison)) return lastingLines(event, evidence, comparison, name, tail);
  return levelLines(event, evidence, name, icon, [tail]);
}

/** The line that always fits: it has no number that could be cut. */
function plainest(event: AlertEvent, name: string): Line {
  const { kind, rule } = event;
  const what = {
    changed: `${SEVERITY_ICONS[rule.severity]} Changed: `,
    fired: `${SEVERITY_ICONS[rule.severity]} Firing: `,
    resolved: `${endingIcon(endingOf(event).how)} Resolved: `,
    no_data: `${BLIND_ICON} No data: `,
    data_back: `${BLIND_ICON} Data back: `,
    worse: `${SEVERITY_ICONS[rule.severity]} Worse: `,
    reminder: `${SEVERITY_ICONS[rule.severity]} Still firing: `,
    flapping: `${SEVERITY_ICONS[rule.severity]} Flapping: `,
    steady: `${SEVERITY_ICONS[rule.severity]} Steady, still firing: `,
  };
  return { before: what[kind], name, after: "", tails: [] };
}
