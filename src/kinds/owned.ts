import { isMap } from "../base/json.ts";
import { cleanText } from "../base/text.ts";
import type { Answer, Ask, Held, Holdings, Owner, Rule, Setup, Subject } from "../model/index.ts";
import { fieldsOf, valueIn } from "./fields.ts";
import type { WatchKind } from "./kind.ts";
import { pairLabel, pairOf, shortNumber } from "./tokens.ts";

/** Positions by owner: what a rule watches is what its owners hold, as it was told last. */

/** Tells whose positions are meant, and of which kind; the same for rules with other options. */
export function ownerKey(kind: string, { chainId, protocol, address }: Owner): string {
  return `${kind}:${chainId}:${protocol ?? ""}:${address}`;
}

/** The ask for what an owner holds; null: the kind knows no owners. */
export function ownerAsk({ kind, targets }: WatchKind, owner: Owner): Ask | null {
  const { chainId, protocol, address } = owner;
  if (targets.owned === undefined) return null;
  const key = `owned:${ownerKey(kind, owner)}`;
  const of = protocol === null ? {} : { protocol };
  return { key, record: targets.owned, chainId, id: "", wallet: address, ...of };
}

/** The subject of one position of an owner. */
function ownedSubject(kind: WatchKind, owner: Owner, nft: string): Subject {
  const { chainId, protocol, options } = owner;
  return kind.subject({ chainId, id: nft, protocol, name: null, options });
}

/** What a rule's owners hold, by the keys of its subjects. */
export function ownedSubjects(
  { owners = [] }: Rule,
  kind: WatchKind,
  holdings: Holdings,
): ReadonlyMap<
  string,
  { readonly subject: Subject; readonly owner: Owner; readonly label: string }
> {
  const found = new Map<string, { subject: Subject; owner: Owner; label: string }>();
  for (const owner of owners) {
    for (const [nft, label] of holdings.get(ownerKey(kind.kind, owner)) ?? []) {
      const subject = ownedSubject(kind, owner, nft);
      found.set(subject.key, { subject, owner, label });
    }
  }
  return found;
}

/** A setup whose rules watch what their owners hold; one without owners is as it was. */
export function withHoldings(
  setup: Setup,
  holdings: Holdings,
  kinds: ReadonlyMap<string, WatchKind>,
): Setup {
  if (!setup.rules.some(({ owners }) => owners !== undefined)) return setup;
  return { ...setup, rules: heldRules(setup.rules, holdings, kinds), holdings };
}

/** Rules that watch what their owners hold. */
export function heldRules(
  rules: readonly Rule[],
  holdings: Holdings,
  kinds: ReadonlyMap<string, WatchKind>,
): readonly Rule[] {
  return rules.map((rule): Rule => {
    const kind = kinds.get(rule.kind);
    if (rule.owners === undefined || kind === undefined) return rule;
    const subjects = [...ownedSubjects(rule, kind, holdings).values()].map((one) => one.subject);
    return { ...rule, subjects };
  });
}

/**
 * What an answer says that an owner holds. What is empty is no news: only if it is `known` it goes on
 * being watched, as long as it stays.
 */
export function heldIn(
  answer: Answer,
  record: Ask["record"],
  known: Held | undefined,
): Held | null {
  if (answer.status !== "ok") return null;
  const fields = fieldsOf(record);
  const held = new Map<string, string>();
  for (const one of answer.records) {
    const nft = valueIn(fields, one, "nft_id");
    if (typeof nft !== "string" || !/^\d{1,78}$/.test(nft)) continue;
    const isEmpty = valueIn(fields, one, "liquidity")?.toString() === "0";
    if (isEmpty && known?.has(nft) !== true) continue;
    const chain = valueIn(fields, one, "chain_id");
    const pair = pairOf(one, Number(chain?.toString() ?? 0));
    const symbols = pair === null ? "" : pairLabel(pair, valueIn(fields, one, "fee"));
    held.set(nft, cleanText(`${symbols} #${shortNumber(nft)}`.trim()));
  }
  return held;
}

/** Under which name the store keeps, among the marks, what owners hold. */
export const HOLDINGS_MARK = "holdings of owners";

export function holdingsToText(holdings: Holdings): string {
  const plain = [...holdings].map(([owner, held]) => [owner, Object.fromEntries(held)]);
  return JSON.stringify(Object.fromEntries(plain));
}

/** What was written down; anything else is as if nothing was. */
export function holdingsFromText(text: string | null | undefined): Holdings {
  const read: unknown = text === null || text === undefined ? null : JSON.parse(text);
  if (!isMap(read)) return new Map();
  return new Map(
    Object.entries(read).map(([owner, held]) => {
      const named = isMap(held) ? Object.entries(held) : [];
      return [owner, new Map(named.map(([nft, label]) => [nft, String(label)]))];
    }),
  );
}
