import { callData, SELECTORS } from "../codec/calls.ts";
import { addressAt, uintAt, wordOf, wordOfAddress } from "../codec/words.ts";
import type { BlockReader } from "./block-reader.ts";
import type { ChainParts } from "./chain-state.ts";
import { v4ManagerOf } from "./v4-pools.ts";

/** More positions of one owner are not told of: whoever likes can give one to anybody. */
const MOST_OWNED = 500;

/** A position that an owner has at the reader's block. */
interface Owned {
  /** In decimal. */
  readonly nft: string;
  readonly liquidity: bigint;
  readonly token0: string;
  readonly token1: string;
  /** Hundredths of a basis point. */
  readonly fee: number;
}

/** The records of an owner's V3 positions, as their manager lists them; of too many the newest. Rejects with RpcError. */
export async function v3OwnedRecords(
  reader: BlockReader,
  owner: string,
  parts: ChainParts,
): Promise<readonly unknown[]> {
  const { v3Positions: positions } = parts;
  const { manager } = positions;
  if (manager === null) return [];
  const word = wordOfAddress(owner);
  const counted = await reader.call(manager, callData(SELECTORS.balanceOf, word));
  const count = Number(counted === null ? 0n : (uintAt(counted, 0) ?? 0n));
  const first = Math.max(0, count - MOST_OWNED);
  const ids = await Promise.all(
    Array.from({ length: count - first }, async (_, i) => {
      const at = callData(SELECTORS.tokenOfOwner, word, wordOf(first + i));
      const data = await reader.call(manager, at);
      return data === null ? null : uintAt(data, 0);
    }),
  );
  const found = ids.map(async (id): Promise<Owned | null> => {
    const nft = id === null ? null : id.toString();
    const position = nft === null ? null : await positions.read(reader, nft);
    if (nft === null || position === null) return null;
    const { token0, token1, fee } = position.facts;
    return { nft, liquidity: position.holding.liquidity, token0, token1, fee };
  });
  return recordsOf(reader, owner, await Promise.all(found), parts, {});
}

/** The records of those of `candidates` (V4 positions by their ids in decimal) that an owner has. Rejects with RpcError. */
export async function v4OwnedRecords(
  reader: BlockReader,
  owner: string,
  candidates: readonly string[],
  parts: ChainParts,
): Promise<readonly unknown[]> {
  const { keys } = parts;
  const manager = v4ManagerOf(parts);
  if (manager === null) return [];
  const found = candidates.slice(-MOST_OWNED).map(async (nft): Promise<Owned | null> => {
    const facts = await keys.position(reader, nft);
    if (facts === null) return null;
    const [words, data] = await Promise.all([
      reader.slots(facts.slots),
      reader.call(manager, facts.ownerOf),
    ]);
    const { currency0: token0, currency1: token1, fee } = facts.key;
    // The list of transfers may be a little ahead of the state, or behind it.
    const isHis = data !== null && addressAt(data, 0) === owner;
    return isHis ? { nft, liquidity: words[1] ?? 0n, token0, token1, fee } : null;
  });
  return recordsOf(reader, owner, await Promise.all(found), parts, { protocol: "dexa" });
}

async function recordsOf(
  reader: BlockReader,
  owner: string,
  found: readonly (Owned | null)[],
  { chainId, tokens }: ChainParts,
  more: { readonly protocol?: string },
): Promise<readonly unknown[]> {
  const owned = found.filter((one) => one !== null);
  return Promise.all(
    owned.map(async ({ nft, liquidity, fee, token0, token1 }) => ({
      chain_id: chainId,
      ...more,
      wallet_address: owner,
      nft_id: nft,
      liquidity: liquidity.toString(),
      fee,
      token0: await tokens.facts(reader, token0),
      token1: await tokens.facts(reader, token1),
    })),
  );
}
