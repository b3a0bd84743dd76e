import type { PositionsBeyond, WorldBeyond } from "../serve/world.ts";
import type { BlockReader } from "./state/block-reader.ts";
import type { ChainParts } from "./state/chain-state.ts";
import { allowanceIn } from "./state/tokens.ts";

/** Reads a subject at a block. */
export type Reading = (reader: BlockReader, parts: ChainParts) => Promise<unknown>;

/**
 * Reads a subject (its key) at the chain's current block, and at the blocks that follow as long as it is
 * asked for, unless it is read `once`. Rejects with Refusal where no node answers.
 */
export type AskChain = (
  chainId: number,
  subject: string,
  read: Reading,
  once?: boolean,
) => Promise<unknown>;

/** What nodes know beyond the specification. */
export function createBeyond(ask: AskChain, positions: PositionsBeyond): WorldBeyond {
  return {
    ...positions,
    nativeBalance: (chainId, account) => {
      const wallet = account.toLowerCase();
      return ask(chainId, `native:${wallet}`, async (reader) => {
        const balance = await reader.balance(wallet);
        return { chain_id: chainId, wallet_address: wallet, balance: balance.toString() };
      });
    },
    allowance: (chainId, ofToken, ofOwner, ofSpender) => {
      const token = ofToken.toLowerCase();
      const [owner, spender] = [ofOwner.toLowerCase(), ofSpender.toLowerCase()];
      return ask(chainId, `allowance:${token}:${owner}:${spender}`, async (reader) => {
        const allowance = await allowanceIn(reader, token, owner, spender);
        if (allowance === null) return undefined;
        return {
          chain_id: chainId,
          token_address: token,
          owner_address: owner,
          spender_address: spender,
          allowance: allowance.toString(),
        };
      });
    },
    gasNow: (chainId, blocks) =>
      ask(chainId, `gas_now:${blocks}`, (reader, { recentGas }) =>
        recentGas.record(reader.header, blocks),
      ),
  };
}
