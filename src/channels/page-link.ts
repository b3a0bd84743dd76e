import type { Notice, Setup } from "../model/index.ts";

/** The daemon's page, as messages lead to it. */
export interface DaemonPage {
  /** The address at which people reach it, without a slash at its end. */
  readonly url: string;
  /** Whether alerts can be acknowledged and silenced there. */
  readonly acts: boolean;
}

/** The page of a configuration, for messages to lead there; null: it serves none, or does not say where it is reached. */
export function pageOf({ web }: Pick<Setup, "web">): DaemonPage | null {
  return web === null || web.url === null || !web.page ? null : { url: web.url, acts: web.actions };
}

export interface PageLink {
  /** The reader's possible actions there. */
  readonly text: string;
  readonly href: string;
}

/** A longer address would take the place of what a message says; names have far less. */
const LONGEST = 600;

/**
 * Where a notice is shown on the daemon's page: its alert; of a message of several its rule, or the overview.
 * Null: there is no page, or the address would be too long.
 */
export function pageLink(notice: Notice, page: DaemonPage | null): PageLink | null {
  if (page === null) return null;
  const href = page.url + placeOf(notice);
  if (href.length > LONGEST) return null;
  return {
    text: page.acts && CAN_ACT.has(notice.kind) ? "Acknowledge or silence" : "Details",
    href,
  };
}

function placeOf({ kind, rule, subject }: Notice): string {
  if (kind === "source_down" || kind === "source_up") return "/source";
  if (kind === "self" && subject?.startsWith("channel:") === true) return "/channels";
  // A subject that is no longer watched has no page.
  if (rule === null || kind === "rule_removed") return "/";
  return subject === null
    ? `/rule?${new URLSearchParams({ name: rule }).toString()}`
    : `/alert?${new URLSearchParams({ rule, subject }).toString()}`;
}

/** An end, a start or a notice about the daemon itself needs no action. */
const CAN_ACT: ReadonlySet<Notice["kind"]> = new Set([
  "fired",
  "worse",
  "reminder",
  "changed",
  "no_data",
  "flapping",
]);
