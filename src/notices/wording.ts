import { chainName } from "../base/chains.ts";
import { cleanText, shortId } from "../base/text.ts";
import { isNegated } from "../decide/condition-tree.ts";
import type { AlertEvent } from "../decide/event.ts";
import { knownLabel } from "../decide/event.ts";
import type { Description } from "../kinds/kind.ts";
import type { Comparison, Condition, Severity, Subject } from "../model/index.ts";

/** The words that headlines and fields share. */

export const SEVERITY_ICONS: Readonly<Record<Severity, string>> = {
  critical: "🔴",
  warning: "🟠",
  info: "🔵",
};

export const GOOD_ICON = "🟢";
export const BLIND_ICON = "⚪";
/** It is over, and not well again. */
export const OVER_ICON = "⚪";

/** A subject's name: what the chain or the rule says, else an id that tells it from others. */
export function subjectName(
  subject: Subject,
  description: Description | null,
  label: string | null,
): string {
  const { ids, chainId, name } = subject;
  const known = cleanText(knownLabel(description?.label ?? null, label) ?? name ?? "");
  if (known !== "") return known;
  if (ids.pool !== undefined) return cleanText(shortId(ids.pool));
  if (ids.nft !== undefined) return cleanText(`#${shortId(ids.nft)}`);
  const { wallet, token = wallet } = ids;
  return token === undefined ? chainName(chainId) : cleanText(shortId(wallet ?? token));
}

export function chainOf(subject: Subject, description: Description | null): string {
  return cleanText(description?.chain ?? chainName(subject.chainId));
}

/** `. Ethereum`, `. Six chains`; nothing where the name says it already. */
export function chainTail(
  { subject, description, rule }: Pick<AlertEvent, "subject" | "description" | "rule">,
  name: string,
): string {
  const chain = chainOf(subject, description);
  if (name === chain) return "";
  return `. ${rule.across === null ? chain : capital(chain)}`;
}

/** The chain where it tells subjects of one rule apart; nothing where all of them are on one. */
export function chainApart({ subject, rule }: AlertEvent, tail: string): readonly string[] {
  const apart = rule.subjects.some(({ chainId }) => chainId !== subject.chainId);
  return apart && rule.across === null && tail !== "" ? [tail] : [];
}

export function capital(text: string): string {
  const [first = "", ...rest] = text;
  return first.toUpperCase() + rest.join("");
}

/** Whether a comparison with a yes or no fires on that value. */
export function firesOn(comparison: Comparison, when: Condition, value: boolean): boolean {
  if (comparison.op !== "equals" && comparison.op !== "not_equals") return false;
  const limit = comparison.limit.kind === "value" ? comparison.limit.value : null;
  const holds = (limit === value) === (comparison.op === "equals");
  return holds !== isNegated(when, comparison);
}

/**
 * The names of subjects that are shown beside each other: those that would read alike say their
 * chain as well, `AUSD on Polygon`.
 */
export function labelsApart(
  subjects: readonly { readonly subject: Pick<Subject, "chainId">; readonly label: string }[],
): readonly string[] {
  const counts = new Map<string, number>();
  for (const { label } of subjects) counts.set(label, (counts.get(label) ?? 0) + 1);
  return subjects.map(({ label, subject }) => {
    const name = cleanText(label);
    return (counts.get(label) ?? 0) > 1 ? `${name} on ${chainName(subject.chainId)}` : name;
  });
}
