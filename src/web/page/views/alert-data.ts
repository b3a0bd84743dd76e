import { DAY, HOUR } from "../../../base/duration.ts";
import type { AlertDetail } from "../../api/schemas/alerts.ts";
import type { Samples, States, Timeline } from "../../api/schemas/history.ts";
import type { RuleDetail } from "../../api/schemas/rules.ts";

export interface AlertData {
  readonly detail: AlertDetail;
  readonly rule: RuleDetail | null;
  readonly samples: Samples | null;
  readonly states: States | null;
  readonly timeline: Timeline | null;
  /** Which span is shown. */
  readonly span: string;
  /** Where the timeline goes on from; null: it begins with the newest. */
  readonly cursor: string | null;
}

/** What a chart may span, by the word in the address. */
export const SPANS: Readonly<Record<string, number>> = {
  "1h": HOUR,
  "6h": 6 * HOUR,
  "24h": DAY,
  "7d": 7 * DAY,
  "30d": 30 * DAY,
};
