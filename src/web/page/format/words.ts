import { cutText } from "../../../base/text.ts";
import type { Alert } from "../../api/schemas/alerts.ts";
import type { MarkName } from "../sprite.tsx";

/** Names and words of strangers are shown up to here; the whole stands in the title. */
const MOST_SHOWN = 120;

/** At most 120 characters (code points), with an ellipsis where something is left out. */
export function cut(text: string, most = MOST_SHOWN): string {
  return cutText(text, most);
}

/**
 * A sentence's first clause with its mark, and the rest: what stands out is what matters. Words before a colon
 * say little without what they are about: `Out of range: Treasury ETH/USDC.` is one clause.
 */
export function clauses(sentence: string): readonly [first: string, rest: string] {
  const end = /[:.,]\s/.exec(sentence);
  if (end === null || end.index === 0) return [sentence, ""];
  const first = sentence.slice(0, end.index + 1);
  const next = sentence.indexOf(". ", end.index);
  const whole = first.endsWith(":") && !/\d/.test(first) && next > 0 ? next + 1 : end.index + 1;
  return [sentence.slice(0, whole), sentence.slice(whole)];
}

/** A headline without the icon that stands before it in messages: the page has marks. */
export function withoutIcon(headline: string): string {
  return headline.replace(/^[\p{Extended_Pictographic}\u26aa\u26ab]\ufe0f?\s+/u, "");
}

/** `9,700` */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/** What marks an alert: data first, then what keeps it quiet, then its state. */
export function markOf(alert: Alert): { name: MarkName; tone: string; label: string } {
  const { severity, state } = alert;
  if (state === "ok") {
    if (alert.no_data !== null) return { name: "nodata", tone: "nodata", label: "no data" };
    if (!alert.window_known) return { name: "nodata", tone: "nodata", label: "not known yet" };
    return { name: "ok", tone: "", label: "ok" };
  }
  const held = quietOf(alert);
  if (held !== null && state === "firing") {
    const name = held.by === "silence" ? "silenced" : "muted";
    return { name, tone: severity, label: `${severity}, firing, ${name}` };
  }
  const more = alert.ack === null ? "" : ", acknowledged";
  return { name: `${severity}-${state}`, tone: severity, label: `${severity}, ${state}${more}` };
}

/** The silence, or the mute of all its channels, because of which nobody is told; null: there is none. */
export function quietOf(alert: Alert): Alert["held_back"][number] | null {
  return alert.held_back.find(({ by }) => by === "silence" || by === "mute") ?? null;
}

/** The page of an alert. */
export function alertPath(alert: { readonly rule: string; readonly subject: string }): string {
  return `/alert?${new URLSearchParams({ rule: alert.rule, subject: alert.subject }).toString()}`;
}

/** The page of a rule. */
export function rulePath(rule: string): string {
  return `/rule?${new URLSearchParams({ name: rule }).toString()}`;
}

/** The metric that speaks for an alert; of one that was not looked at since the daemon started the one that was kept. */
export function spokenOf({
  compared,
  last,
}: Alert): { readonly metric: string; readonly label: string } | null {
  return compared ?? last;
}

/** `TVL of ETH/USDC 0.05%`: what is meant, for buttons that are read aloud. */
export function about(alert: Alert): string {
  const label = spokenOf(alert)?.label ?? "";
  return label === "" ? alert.name : `${label} of ${alert.name}`;
}

/** A title for who points at it, where there is something to say. */
export function titled(text: string | null): { readonly title?: string } {
  return text === null ? {} : { title: text };
}

/** What an alert is told from others by, in the page: a script finds its row again. */
export function liveKey({
  rule,
  subject,
}: {
  readonly rule: string;
  readonly subject: string;
}): string {
  return `${rule}\n${subject}`;
}

/** With a capital letter, as a sentence begins. */
export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** `: “looking at it”`, where somebody wrote something. */
export function said(comment: string | null): string {
  return comment === null || comment === "" ? "" : `: “${cut(comment, 200)}”`;
}

/** `no silence`, `1 silence`, `1,200 silences`. */
export function countOf(count: number, what: string, none = `0 ${what}s`): string {
  return count === 0 ? none : count === 1 ? `1 ${what}` : `${grouped(count)} ${what}s`;
}

/** The states by how much each says. */
export const STATE_RANK = { firing: 3, recovering: 2, pending: 1, ok: 0 } as const;
