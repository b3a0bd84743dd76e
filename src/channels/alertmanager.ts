import { z } from "zod";
import { readJson } from "../base/json.ts";
import { durationMs, httpUrl } from "../base/settings.ts";
import {
  type AlertsBody,
  alertsBody,
  type Ending,
  type PostedAlert,
  readAlert,
  readAlertsBody,
} from "./alertmanager-alerts.ts";
import type { HttpAnswer, HttpQuestion, Outcome } from "./channel.ts";
import { httpChannel, outcomeOfStatus, type Sending } from "./http-channel.ts";
import { headers, revealed } from "./http-settings.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const settings = z.strictObject({
  /** Without `/api/v2`. */
  url: httpUrl(),
  headers: headers().default({}),
  expires: durationMs(HOUR_MS, 3_650 * DAY_MS).default(30 * DAY_MS),
});

/** An alert of ours has a few kilobytes; there are as many as its labels were edited. */
const LIST_LIMIT_BYTES = 1_048_576;

/** Prometheus's Alertmanager, or what speaks its API. */
export const alertmanagerKind = httpChannel({
  kind: "alertmanager",
  settings,
  open: (read, { page = () => null }) => ({
    body: (notice) => alertsBody(notice, read.expires, page()),
    async requests(frozen, sending) {
      const body = readAlertsBody(frozen);
      if (body === null) return null;
      if (body.alerts.length === 0) return [];
      const to = { url: `${read.url}/api/v2/alerts`, headers: revealed(read.headers) };
      const others = await othersToEnd(body, to, sending);
      if (!Array.isArray(others)) return others;
      return [{ ...to, body: JSON.stringify([...body.alerts, ...others]) }];
    },
  }),
});

/**
 * The alerts that are over and that Alertmanager knows under other labels: the severity or a label
 * of a rule was edited while it fired, or the rule is gone with its labels. Without this they would
 * go on until they expire. What went wrong is an outcome.
 */
async function othersToEnd(
  { alerts, endings }: AlertsBody,
  { url, headers: own }: Pick<HttpQuestion, "url" | "headers">,
  sending: Sending,
): Promise<PostedAlert[] | Outcome> {
  const [first] = endings;
  const endsAt = alerts[0]?.endsAt;
  if (first === undefined || endsAt === undefined) return [];
  const filters = new URLSearchParams([
    ["filter", matcher("alertname", first.alertname)],
    ["filter", matcher("subject", first.subject)],
  ]);
  const asked = `${url}?${filters.toString()}`;
  const answer = await sending.get({ url: asked, headers: own, limitBytes: LIST_LIMIT_BYTES });
  // A receiver that takes alerts but lists none has only half of the API.
  if (answer.status === 404 || answer.status === 405 || answer.status === 501) return [];
  const outcome = outcomeOfStatus(answer, null);
  const listed = readList(answer);
  if (outcome.status === "dead" || (outcome.status === "sent" && listed === null)) return [];
  if (outcome.status !== "sent" || listed === null) return outcome;
  const known = new Set(alerts.map(({ labels }) => identityOf(labels)));
  return listed
    .filter(({ labels }) => isOfOne(labels, endings) && !known.has(identityOf(labels)))
    .map(({ labels, annotations, startsAt }) => ({
      labels,
      annotations,
      ...(startsAt === undefined || Date.parse(startsAt) > Date.parse(endsAt) ? {} : { startsAt }),
      endsAt,
    }));
}

function readList({ body }: HttpAnswer): readonly PostedAlert[] | null {
  const list = readJson(body);
  return Array.isArray(list) ? list.map(readAlert).filter((alert) => alert !== null) : null;
}

function isOfOne(labels: PostedAlert["labels"], endings: readonly Ending[]): boolean {
  return endings.some(
    ({ alertname, subject, about }) =>
      labels.alertname === alertname && labels.subject === subject && labels.about === about,
  );
}

function identityOf(labels: PostedAlert["labels"]): string {
  return JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** `alertname="my-range"`. Source: prometheus.io, Alertmanager's "Configuration", "Label matchers". */
function matcher(name: string, value: string): string {
  return `${name}="${value.replace(/["\\]/g, (sign) => `\\${sign}`)}"`;
}
