import { z } from "zod";
import { durationMs, httpUrl } from "../base/settings.ts";
import type { Message } from "../model/index.ts";
import {
  type AlertsBody,
  alertsBody,
  type Ending,
  type PostedAlert,
  readAlert,
  readAlertsBody,
} from "./alertmanager-alerts.ts";
import type { Channel, ChannelKind, Outcome } from "./channel.ts";
import {
  type HttpAnswer,
  type HttpClient,
  httpClient,
  outcomeOfError,
  outcomeOfStatus,
  unlessPage,
} from "./http.ts";
import { headers } from "./http-settings.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const settings = z.strictObject({
  /** Without `/api/v2`. */
  url: httpUrl(),
  headers: headers().default({}),
  expires: durationMs(HOUR_MS, 3_650 * DAY_MS).default(30 * DAY_MS),
});

export type AlertmanagerSettings = z.infer<typeof settings>;

/** An alert of ours has a few kilobytes; there are as many as its labels were edited. */
const LIST_LIMIT_BYTES = 1_048_576;

/** Prometheus's Alertmanager, or what speaks its API. */
export const alertmanagerKind: ChannelKind<AlertmanagerSettings> = {
  kind: "alertmanager",
  settings,
  open: (read) => openAlertmanager(read, httpClient()),
};

/** The channel on a client of its own, which it closes. */
export function openAlertmanager(read: AlertmanagerSettings, client: HttpClient): Channel {
  return {
    render: (notice) => JSON.stringify(alertsBody(notice, read.expires)),
    send: (message, signal) => send(message, signal, read, client),
    close: () => client.close(),
  };
}

async function send(
  { body }: Message,
  signal: AbortSignal,
  read: AlertmanagerSettings,
  client: HttpClient,
): Promise<Outcome> {
  const frozen = readAlertsBody(body);
  if (frozen === null) return { status: "dead", reason: "the stored message is not readable" };
  if (frozen.alerts.length === 0) return { status: "sent" };
  const own: Record<string, string> = { "user-agent": "tickwatch" };
  for (const [name, value] of Object.entries(read.headers))
    own[name.toLowerCase()] = value.reveal();
  const url = `${read.url}/api/v2/alerts`;
  try {
    const others = await othersToEnd(frozen, url, own, signal, client);
    if (!Array.isArray(others)) return others;
    const answer = await client.post(
      {
        url,
        headers: { ...own, "content-type": "application/json" },
        body: JSON.stringify([...frozen.alerts, ...others]),
      },
      signal,
    );
    return unlessPage(outcomeOfStatus(answer, null), answer);
  } catch (error) {
    return outcomeOfError(error);
  }
}

/**
 * The alerts that are over and that Alertmanager knows under other labels: the severity or a label
 * of a rule was edited while it fired, or the rule is gone with its labels. Without this they would
 * go on until they expire. What went wrong is an outcome.
 */
async function othersToEnd(
  { alerts, endings }: AlertsBody,
  url: string,
  own: Readonly<Record<string, string>>,
  signal: AbortSignal,
  client: HttpClient,
): Promise<PostedAlert[] | Outcome> {
  const [first] = endings;
  const endsAt = alerts[0]?.endsAt;
  if (first === undefined || endsAt === undefined) return [];
  const filters = new URLSearchParams([
    ["filter", matcher("alertname", first.alertname)],
    ["filter", matcher("subject", first.subject)],
  ]);
  const question = {
    url: `${url}?${filters.toString()}`,
    headers: own,
    limitBytes: LIST_LIMIT_BYTES,
  };
  const answer = await client.get(question, signal);
  // What takes alerts and lists none speaks only half of the API.
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
  try {
    const list: unknown = JSON.parse(body);
    if (!Array.isArray(list)) return null;
    return list.map(readAlert).filter((alert) => alert !== null);
  } catch {
    return null;
  }
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
