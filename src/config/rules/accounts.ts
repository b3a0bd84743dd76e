import { isMap } from "../../base/json.ts";
import { shortId } from "../../base/text.ts";
import type { AccountKey } from "../../kinds/kind.ts";
import { errorAt, type Path, type Report, warningAt, wrongType } from "../../rules/finding.ts";
import { lintChecksum } from "../../rules/lint/checksum.ts";
import { unknownKey } from "../files/shape.ts";
import { ADDRESS_EXPECTED, addressTrouble, entriesOf, type TargetContext } from "./entries.ts";
import { readName } from "./target-keys.ts";

/** A wallet whose balances are watched, or one side of an allowance; its address in lower case. */
export interface Account {
  readonly key: AccountKey;
  readonly id: string;
  readonly name: string | null;
}

const KEYS = ["id", "name"];

/** Reads the accounts under a key of a watch: an address, `{id, name}`, or a list of such. */
export function readAccounts(
  raw: unknown,
  key: AccountKey,
  path: Path,
  context: TargetContext,
  report: Report,
): readonly Account[] {
  const expected = "an address, or {id: …, name: …}, or a list of such";
  const accounts = new Map<string, Account>();
  for (const entry of entriesOf(raw, path, true, expected, context, report)) {
    const account = readAccount(entry.raw, key, entry.path, entry.report);
    if (account === null) continue;
    if (accounts.has(account.id)) {
      entry.report(
        warningAt(
          "duplicate-target",
          entry.path,
          `the rule names this ${key} twice; it is watched once`,
        ),
      );
    } else accounts.set(account.id, account);
  }
  return [...accounts.values()];
}

function readAccount(raw: unknown, key: AccountKey, path: Path, report: Report): Account | null {
  const item: unknown = typeof raw === "string" ? { id: raw } : raw;
  if (!isMap(item)) {
    report(wrongType(path, raw, ADDRESS_EXPECTED));
    return null;
  }
  const words = { what: key === "owner" ? "an owner" : `a ${key}`, keys: KEYS };
  for (const name of Object.keys(item)) {
    if (!KEYS.includes(name)) report(unknownKey(name, [...path, name], words));
  }
  const at = (name: string): Path => (typeof raw === "string" ? path : [...path, name]);
  const name = readName(item.name, at("name"), report);
  const trouble = addressTrouble(item.id);
  if (trouble === null && typeof item.id === "string") {
    lintChecksum(item.id, at("id"), report);
    return { key, id: item.id.toLowerCase(), name };
  }
  report(errorAt("bad-id", at("id"), trouble ?? "is not an address", ADDRESS_EXPECTED));
  return null;
}

/** Every way to take one of each list, the first list's changing last; of no list the one way to take none. */
export function combinations<T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] {
  return lists.reduce<readonly (readonly T[])[]>(
    (ways, list) => ways.flatMap((way) => list.map((item) => [...way, item])),
    [[]],
  );
}

/**
 * What a token of these accounts is called: `Treasury`, or `Treasury (AUSD)` where the token has a name
 * or is one of several, and `Treasury for Router (AUSD)` of an allowance; without accounts the token's
 * own name. Null where the rule names nothing.
 */
export function accountName(
  accounts: readonly Account[],
  token: { readonly id: string; readonly name: string | null },
  several: boolean,
): string | null {
  if (accounts.every(({ name }) => name === null) && token.name === null) return null;
  if (accounts.length === 0) return token.name;
  const of = token.name ?? (several ? `token ${shortId(token.id)}` : null);
  const whose = accounts.map(({ id, name }) => name ?? shortId(id)).join(" for ");
  return of === null ? whose : `${whose} (${of})`;
}
