import { chainName } from "../base/chains.ts";
import { cleanText, shortId } from "../base/text.ts";
import type { Notice, Owner, Rule } from "../model/index.ts";
import { noticeId } from "./notice.ts";
import { bareNotice, fieldsOf } from "./notice-fields.ts";
import { fitLine, OVER_ICON, SEVERITY_ICONS } from "./wording.ts";

/** A position that came to an owner whose positions are watched, or went from it. */
export interface OwnedEvent {
  readonly rule: Rule;
  /** The subject's key. */
  readonly subject: string;
  /** What people call the position. */
  readonly label: string;
  readonly owner: Owner;
  readonly at: number;
}

/** `🔵 New position of 0x111111…1111: ETH/USDC 0.05% #42. Ethereum` */
export function composeCame(event: OwnedEvent): Notice {
  const before = `${SEVERITY_ICONS.info} New position of ${ownerName(event.owner)}: `;
  const tails = [`. ${chainName(event.owner.chainId)}`];
  return compose(event, "changed", "info", { before, tails, reason: "came to" });
}

/**
 * `⚪ Left 0x111111…1111: ETH/USDC 0.05% #42. It was firing`: what people believe to fire ends so, and is not
 * well again; of anything else it is told as a change.
 */
export function composeLeft(event: OwnedEvent, wasFiring: boolean): Notice {
  const before = `${OVER_ICON} Left ${ownerName(event.owner)}: `;
  const chain = `. ${chainName(event.owner.chainId)}`;
  const { severity } = event.rule;
  const tails = wasFiring ? [". It was firing", chain] : [chain];
  const notice = compose(event, wasFiring ? "resolved" : "changed", severity, {
    before,
    tails,
    reason: "left",
  });
  return wasFiring ? { ...notice, ending: "left" } : notice;
}

function ownerName({ name, address }: Owner): string {
  return cleanText(name ?? shortId(address), LONGEST_NAME);
}

/** The owner's name leaves room for that of the position. */
const LONGEST_NAME = 24;

interface Words {
  readonly before: string;
  readonly tails: readonly string[];
  readonly reason: "came to" | "left";
}

function compose(
  { rule, subject, label, owner, at }: OwnedEvent,
  kind: "changed" | "resolved",
  severity: Notice["severity"],
  { before, tails, reason }: Words,
): Notice {
  const name = cleanText(label);
  return bareNotice({
    id: noticeId(kind, rule.name, subject, at, reason),
    kind,
    severity,
    rule: rule.name,
    subject,
    at,
    headline: fitLine([{ before, name, after: "", tails }]),
    fields: fieldsOf([
      ["Reason", `${reason} ${owner.address}`],
      ["Chain", chainName(owner.chainId)],
      ["Rule", rule.name],
      ["Severity", severity],
    ]),
    labels: rule.labels,
    label: name,
  });
}
