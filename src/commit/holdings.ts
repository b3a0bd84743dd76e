import type { WatchKind } from "../kinds/kind.ts";
import {
  HOLDINGS_MARK,
  holdingsFromText,
  holdingsToText,
  ownedSubjects,
  ownerKey,
} from "../kinds/owned.ts";
import type { AddressedNotice, Alert, Holdings, Setup, SubjectMarks } from "../model/index.ts";
import { composeCame, composeLeft, type OwnedEvent } from "../notices/owned-notice.ts";

/** What comes of it that owners hold other positions than when it was written down last. */
export interface HoldingsChange {
  readonly notices: readonly AddressedNotice[];
  /** Alerts whose end these tell, by `alertKey`. */
  readonly ended: ReadonlySet<string>;
  /** What is to be written down with it; none: it is the same. */
  readonly marks: readonly SubjectMarks[];
}

/** An alert's rule and subject as one text. */
export function alertKey({ rule, subject }: Pick<Alert, "rule" | "subject">): string {
  return `${rule}\n${subject}`;
}

/**
 * Compares what owners hold by the setup with what the store has of them, by `marks`. Each position that came
 * or left is told once to each channel of the rules that watch its owner; what an owner held when it was first
 * asked about is no news. `removed`: alerts that are no longer watched.
 */
export function holdingsChange(
  setup: Setup,
  kinds: ReadonlyMap<string, WatchKind>,
  removed: readonly Alert[],
  marks: ReadonlyMap<string, string>,
  now: number,
): HoldingsChange {
  const text = marks.get(HOLDINGS_MARK);
  const before = holdingsFromText(text);
  const holdings = watchedOnly(setup, setup.holdings ?? new Map());
  const next = holdingsToText(holdings);
  const news = new News(setup, now);
  const alerts = new Map(removed.map((alert) => [alertKey(alert), alert]));
  for (const rule of setup.rules) {
    const kind = kinds.get(rule.kind);
    if (rule.owners === undefined || kind === undefined) continue;
    const [were, are] = [before, holdings].map((held) => ownedSubjects(rule, kind, held));
    for (const [subject, { owner, label }] of are ?? []) {
      const isKnown = before.has(ownerKey(kind.kind, owner));
      if (isKnown && were?.has(subject) !== true) {
        news.came({ rule, subject, owner, label, at: now });
      }
    }
    for (const [subject, { owner, label }] of were ?? []) {
      if (are?.has(subject) === true) continue;
      const alert = alerts.get(alertKey({ rule: rule.name, subject }));
      news.left({ rule, subject, owner, label: alert?.label ?? label, at: now }, alert ?? null);
    }
  }
  const isSame = text === undefined ? holdings.size === 0 : text === next;
  return {
    notices: news.notices(),
    ended: news.ended,
    marks: isSame ? [] : [{ subject: HOLDINGS_MARK, value: next }],
  };
}

/** What nobody's rule watches any more is not remembered: it would be news of an old time when one does again. */
function watchedOnly({ rules }: Setup, holdings: Holdings): Holdings {
  const wanted = new Set(
    rules.flatMap(({ kind, owners = [] }) => owners.map((owner) => ownerKey(kind, owner))),
  );
  return new Map([...holdings].filter(([owner]) => wanted.has(owner)));
}

/** Gathers what is to be told, each thing once to each channel. */
class News {
  readonly ended = new Set<string>();
  readonly #configured: ReadonlySet<string>;
  readonly #endings: AddressedNotice[] = [];
  readonly #others: { readonly event: OwnedEvent; readonly way: "came" | "left" }[] = [];
  /** What each channel was told already. */
  readonly #told = new Set<string>();

  constructor(
    { channels }: Setup,
    private readonly now: number,
  ) {
    this.#configured = new Set(channels.map(({ name }) => name));
  }

  came(event: OwnedEvent): void {
    this.#others.push({ event, way: "came" });
  }

  left(event: OwnedEvent, alert: Alert | null): void {
    if (alert !== null) {
      this.ended.add(alertKey(alert));
      const { state, channels: heard } = alert.lastNotified;
      const channels = heard.filter((name) => this.#configured.has(name));
      if (state === "firing" && channels.length > 0) {
        this.#endings.push({ notice: composeLeft(event, true), channels });
        for (const name of channels) this.#told.add(toldKey("left", event, name));
      }
    }
    this.#others.push({ event, way: "left" });
  }

  notices(): readonly AddressedNotice[] {
    const notices = [...this.#endings];
    for (const { event, way } of this.#others) {
      const channels = event.rule.notify.filter((name) => {
        const key = toldKey(way, event, name);
        if (this.#told.has(key)) return false;
        this.#told.add(key);
        return true;
      });
      if (channels.length === 0) continue;
      const notice = way === "came" ? composeCame(event) : composeLeft(event, false);
      notices.push({ notice: { ...notice, at: this.now }, channels });
    }
    return notices;
  }
}

/** Rules with other options watch the same position under another name. */
function toldKey(way: string, { owner, subject }: OwnedEvent, channel: string): string {
  const [, , ...ids] = subject.split(":");
  const nft = ids.find((part) => /^\d+$/.test(part)) ?? subject;
  return `${way} ${owner.chainId} ${owner.address} ${owner.protocol} ${nft} ${channel}`;
}
