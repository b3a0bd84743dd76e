import { cleanText } from "../base/text.ts";
import type { Notice } from "../model/index.ts";

/** A notice for a receiver that keeps alerts of its own and closes them. */
export type Incident =
  | { readonly action: "open"; readonly of: Identity; readonly summary: string }
  | { readonly action: "close"; readonly of: Identity; readonly summary: string }
  /** It happened, and nothing will ever end it. */
  | { readonly action: "event"; readonly of: Identity; readonly summary: string };

/** The parts that stay the same from the opening of an incident to its end. */
export interface Identity {
  /**
   * `alert`: a rule's alert fires. `no_data`: it is blind. `source`: an endpoint does not answer.
   * `self`: the daemon is in trouble. `event`: something that has no state.
   */
  readonly about: "alert" | "no_data" | "source" | "self" | "event";
  readonly rule: string | null;
  readonly subject: string | null;
  /** For an event: the notice's id, since each event is an incident of its own. */
  readonly event: string | null;
}

const LONGEST_SUMMARY = 200;

/**
 * What is to be opened, closed or told, in order; none for what asks nothing of anybody: a start in
 * which nothing fires and everything has data, and a new baseline.
 */
export function incidentsOf(notice: Notice): readonly Incident[] {
  const { kind, rule, subject, severity, id } = notice;
  const summary = cleanText(notice.headline, LONGEST_SUMMARY);
  const identity = (about: Identity["about"]): Identity => {
    return { about, rule, subject: lasting(subject), event: null };
  };
  const close = (about: Identity["about"]): Incident[] =>
    // Earlier versions opened incidents with the whole of it.
    [...new Set([lasting(subject), subject])].map((one) => ({
      action: "close",
      of: { about, rule, subject: one, event: null },
      summary,
    }));
  const event = { about: "event", rule, subject, event: id } as const;
  switch (kind) {
    case "fired":
    case "worse":
    case "reminder":
      return [{ action: "open", of: identity("alert"), summary }];
    case "flapping":
    case "steady": {
      const about = notice.gaps === true ? "no_data" : "alert";
      return [{ action: "open", of: identity(about), summary }];
    }
    case "resolved":
      return close("alert");
    case "no_data":
      return [{ action: "open", of: identity("no_data"), summary }];
    case "data_back":
      return close("no_data");
    case "rule_removed":
      // No later notice will say that its data is back.
      return [...close("alert"), ...close("no_data")];
    case "started":
      return [
        ...(notice.firing ?? []).map((one) => begun(notice, "alert", one)),
        ...(notice.blind ?? []).map((one) => begun(notice, "no_data", one)),
      ];
    case "source_down":
      return [{ action: "open", of: identity("source"), summary }];
    case "source_up":
      return [{ action: "close", of: identity("source"), summary }];
    case "self":
      if (subject === null) return [{ action: "event", of: event, summary }];
      // A resolved incident has the least severity.
      return [{ action: severity === "info" ? "close" : "open", of: identity("self"), summary }];
    case "changed":
    case "test":
      return [{ action: "event", of: event, summary }];
    case "baseline":
    case "report":
      return [];
  }
}

/**
 * A rule over several subjects has one alert, which stays the same when the set of them is edited: the
 * part of the key that tells sets apart is left out.
 */
function lasting(subject: string | null): string | null {
  return subject?.startsWith("across:") === true ? subject.replace(/:[^:]*$/, "") : subject;
}

/** One firing subject found at a start: opened as its own notice would be. */
function begun(
  { rule }: Notice,
  about: "alert" | "no_data",
  { subject, label }: { readonly subject: string; readonly label: string },
): Incident {
  const what = about === "alert" ? "Firing" : "No data";
  const summary = cleanText(
    `${what} when watching began: ${label} (${rule ?? ""})`,
    LONGEST_SUMMARY,
  );
  return { action: "open", of: { about, rule, subject: lasting(subject), event: null }, summary };
}
