import { isMap } from "../../base/json.ts";
import { shortId } from "../../base/text.ts";
import { errorAt, type Path, type Report, warningAt, wrongType } from "../../rules/finding.ts";
import { lintChecksum } from "../../rules/lint/checksum.ts";
import { unknownKey } from "../files/shape.ts";
import { ADDRESS_EXPECTED, addressTrouble, entriesOf, type TargetContext } from "./entries.ts";
import { readName } from "./target-keys.ts";

/** A wallet whose balances are watched; its address in lower case. */
export interface Wallet {
  readonly id: string;
  readonly name: string | null;
}

const WORDS = { what: "a wallet", keys: ["id", "name"] };

/** Reads `wallet` of a watch: an address, `{id, name}`, or a list of such. */
export function readWallets(
  watch: Readonly<Record<string, unknown>>,
  path: Path,
  context: TargetContext,
  report: Report,
): readonly Wallet[] {
  const at = [...path, "wallet"];
  const expected = "an address, or {id: …, name: …}, or a list of such";
  const wallets = new Map<string, Wallet>();
  for (const entry of entriesOf(watch.wallet, at, true, expected, context, report)) {
    const wallet = readWallet(entry.raw, entry.path, entry.report);
    if (wallet === null) continue;
    if (wallets.has(wallet.id)) {
      entry.report(
        warningAt(
          "duplicate-target",
          entry.path,
          "the rule names this wallet twice; it is watched once",
        ),
      );
    } else wallets.set(wallet.id, wallet);
  }
  return [...wallets.values()];
}

function readWallet(raw: unknown, path: Path, report: Report): Wallet | null {
  const item: unknown = typeof raw === "string" ? { id: raw } : raw;
  if (!isMap(item)) {
    report(wrongType(path, raw, ADDRESS_EXPECTED));
    return null;
  }
  for (const key of Object.keys(item)) {
    if (!WORDS.keys.includes(key)) report(unknownKey(key, [...path, key], WORDS));
  }
  const at = (key: string): Path => (typeof raw === "string" ? path : [...path, key]);
  const name = readName(item.name, at("name"), report);
  const trouble = addressTrouble(item.id);
  if (trouble === null && typeof item.id === "string") {
    lintChecksum(item.id, at("id"), report);
    return { id: item.id.toLowerCase(), name };
  }
  report(
    errorAt("bad-id", at("id"), trouble ?? "is not an address", { expected: ADDRESS_EXPECTED }),
  );
  return null;
}

/**
 * What a wallet's balance of a token is called: `Treasury`, or `Treasury (AUSD)` where the token has
 * a name or is one of several; null where the rule names neither.
 */
export function balanceName(
  wallet: Wallet,
  token: { readonly id: string; readonly name: string | null },
  several: boolean,
): string | null {
  if (wallet.name === null && token.name === null) return null;
  const of = token.name ?? (several ? `token ${shortId(token.id)}` : null);
  const owner = wallet.name ?? shortId(wallet.id);
  return of === null ? owner : `${owner} (${of})`;
}
