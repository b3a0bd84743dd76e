import { FALSE, TRUE } from "../../src/decide/evaluation-context.ts";
import { notify } from "../../src/decide/notify.ts";
import { transition } from "../../src/decide/transition.ts";
import type { Alert, Rule } from "../../src/model/index.ts";

interface Round {
  readonly date: number;
  readonly truth: boolean;
  /** Something holds its notices back. */
  readonly quiet?: boolean;
  /** A gate keeps it from firing. */
  readonly closed?: boolean;
}

/** One round of one alert by its condition alone, and the kinds of what it tells. */
export function decideRound(
  rule: Rule,
  alert: Alert,
  { date, truth, quiet = false, closed = false }: Round,
) {
  const step = transition(rule, alert, {
    date,
    previousRound: date - 60_000,
    unanswered: false,
    truth: truth ? TRUE : FALSE,
    recovered: null,
    closed: false,
    closedBy: closed ? "gate" : null,
    buckets: null,
  });
  const { happened } = step;
  const moment = {
    date,
    happened,
    known: true,
    holds: truth,
    unanswered: false,
    quiet,
    verdict: null,
  };
  const { alert: next, intents } = notify(rule, alert, step.alert, moment);
  return { alert: next, kinds: intents.map(({ kind }) => kind) };
}
