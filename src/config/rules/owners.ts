import { isMap } from "../../base/json.ts";
import type { WatchKind } from "../../kinds/kind.ts";
import type { Owner } from "../../model/index.ts";
import { errorAt, errorAtKey, type Path, type Report } from "../../rules/finding.ts";
import { needsAddress } from "../settings/addresses.ts";
import { readAccounts } from "./accounts.ts";
import type { TargetContext } from "./entries.ts";

/** What the watch says of all of its targets. */
interface Shared {
  readonly chains: readonly number[] | null;
  readonly protocol: string | null;
  readonly options: Readonly<Record<string, string>>;
}

/** Reads `owner` of a watch, an address, `{id, name}`, or a list of such: whose positions are watched. */
export function readOwners(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  { targets }: WatchKind,
  { chains, protocol, options }: Shared,
  context: TargetContext,
  report: Report,
): readonly Owner[] {
  const { key, protocols } = targets;
  if (context.addresses?.has("rpc") === false) {
    report(needsAddress("a watch by owner", { base: "rpc" }, [...path, "owner"]));
  }
  if ("deposited" in raw) {
    const message = "deposited is of one position, and an owner may hold any number";
    report(errorAtKey("misplaced-key", [...path, "deposited"], message));
  }
  if (key !== null && key in raw) {
    const message = `${key} and owner exclude each other: owner watches whatever it holds`;
    report(errorAtKey("key-conflict", [...path, key], message));
  }
  if (chains === null && !("chain" in raw)) {
    const expected = "chain: a name such as ethereum, or a number";
    report(errorAt("missing-key", path, "a watch of an owner needs a chain", expected));
  }
  const wallets = readAccounts(raw.owner, "owner", [...path, "owner"], context, report);
  // Written or not, only this one is read from nodes.
  const [first = null] = protocols ?? [];
  if (protocol !== null && protocol !== first) {
    const message = `positions by owner are read of ${first} only`;
    report(errorAt("unknown-word", [...path, "protocol"], message, { suggestion: first }));
  }
  return (chains ?? []).flatMap((chainId) =>
    wallets.map(({ id: address, name }) => ({ chainId, address, name, protocol: first, options })),
  );
}

/** Whether a watch names owners in place of positions. */
export function hasOwner(raw: unknown, { targets }: WatchKind): boolean {
  return targets.owned !== undefined && isMap(raw) && "owner" in raw;
}
