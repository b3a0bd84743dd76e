import { decimalFromInteger, shift } from "../base/decimal.ts";
import {
  checkArguments,
  parseSignature,
  RESULT_PLACES,
  resultNames,
  type Signature,
  SignatureError,
} from "../base/signature.ts";
import { Refusal } from "../serve/refusal.ts";
import type { PositionsBeyond, WorldBeyond } from "../serve/world.ts";
import { functionCallData, readResults } from "./codec/function-call.ts";
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
    call: (chainId, address, text, args, decimals) => {
      const to = address.toLowerCase();
      const signature = checkedSignature(text, args);
      const data = functionCallData(signature, args);
      // As it is asked: the record says it again.
      const subject = `call:${to}:${text}:${JSON.stringify(args)}:${decimals}`;
      return ask(chainId, subject, async (reader) => {
        const result = await reader.own(to, data);
        return {
          chain_id: chainId,
          contract_address: to,
          function: text,
          args: JSON.stringify(args),
          decimals,
          ...NO_RESULTS,
          ...("refused" in result
            ? { problem: `the call fails: ${result.refused.replace(/^node \d+: /, "")}` }
            : resultsOf(signature, result.data, decimals)),
        };
      });
    },
    gasNow: (chainId, blocks) =>
      ask(chainId, `gas_now:${blocks}`, (reader, { recentGas }) =>
        recentGas.record(reader.header, blocks),
      ),
  };
}

function checkedSignature(text: string, args: readonly string[]): Signature {
  try {
    const signature = parseSignature(text);
    checkArguments(signature, args);
    return signature;
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw new Refusal("bad_value", `${error.message}, expected ${error.expected}`);
  }
}

const NO_RESULTS = {
  problem: null,
  ...Object.fromEntries(
    RESULT_PLACES.flatMap((place) => [`value${place}`, `flag${place}`]).map((name) => [name, null]),
  ),
};

/** The results by their names, or what is wrong with them. */
function resultsOf(
  signature: Signature,
  data: string,
  decimals: number,
): Readonly<Record<string, string | boolean>> {
  const read = readResults(signature, data);
  if ("problem" in read) return { problem: read.problem };
  const results: Record<string, string | boolean> = {};
  for (const [i, name] of resultNames(signature).entries()) {
    const value = read.values[i];
    if (name === null || value === undefined) continue;
    results[name] =
      typeof value === "bigint" ? shift(decimalFromInteger(value), -decimals).toString() : value;
  }
  return results;
}
