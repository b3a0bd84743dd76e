import { chainById } from "../../base/chains.ts";
import { cleanText } from "../../base/text.ts";
import { allowanceData, balanceOfData, SELECTORS } from "../codec/calls.ts";
import { smallIntAt, textAt, uintAt } from "../codec/words.ts";
import type { BlockReader } from "./block-reader.ts";

/** The address that stands for a chain's native currency in V4 pools. */
export const NATIVE = `0x${"0".repeat(40)}`;
/** No token has more; what says so is none. */
const MOST_DECIMALS = 77;
/** What a token did not tell is asked again after so long. */
const RETRY_MS = 600_000;

/** What a token says of itself, which does not change; null: it does not say. */
export interface TokenFacts {
  readonly address: string;
  readonly symbol: string | null;
  readonly name: string | null;
  readonly decimals: number | null;
}

/** What was told, as a promise: thousands wait for the same one. */
interface Known {
  readonly at: number;
  readonly isWhole: boolean;
  readonly facts: Promise<TokenFacts>;
}

/** The tokens of one chain. */
export class Tokens {
  readonly #known = new Map<string, Known>();
  readonly #whole = new Map<string, TokenFacts>();

  constructor(
    private readonly chainId: number,
    private readonly now: () => number,
  ) {}

  /** `address` in lower case. Rejects with RpcError. */
  facts(reader: BlockReader, address: string): Promise<TokenFacts> {
    const known = this.#known.get(address);
    if (known !== undefined && (known.isWhole || this.now() - known.at < RETRY_MS)) {
      return known.facts;
    }
    return this.#read(reader, address);
  }

  /** The same if it was told before, all of it. */
  known(address: string): TokenFacts | undefined {
    return this.#whole.get(address);
  }

  async #read(reader: BlockReader, address: string): Promise<TokenFacts> {
    const facts = address === NATIVE ? this.#native() : await read(reader, address);
    const isWhole = facts.decimals !== null;
    if (isWhole) this.#whole.set(address, facts);
    this.#known.set(address, { at: this.now(), isWhole, facts: Promise.resolve(facts) });
    return facts;
  }

  #native(): TokenFacts {
    const symbol = chainById(this.chainId)?.nativeSymbol ?? null;
    return { address: NATIVE, symbol, name: symbol, decimals: 18 };
  }
}

async function read(reader: BlockReader, address: string): Promise<TokenFacts> {
  const [symbol, name, decimals] = await Promise.all([
    reader.call(address, SELECTORS.symbol),
    reader.call(address, SELECTORS.name),
    reader.call(address, SELECTORS.decimals),
  ]);
  const count = decimals === null ? null : smallIntAt(decimals, 0);
  return {
    address,
    symbol: nameOf(symbol),
    name: nameOf(name),
    decimals: count !== null && count >= 0 && count <= MOST_DECIMALS ? count : null,
  };
}

function nameOf(data: string | null): string | null {
  const text = data === null ? null : textAt(data, 0);
  return text === null ? null : cleanText(text) || null;
}

/** All there is of a token, in raw units; null: it is none. */
export async function supplyOf(reader: BlockReader, token: string): Promise<bigint | null> {
  const data = await reader.call(token, SELECTORS.totalSupply);
  return data === null ? null : uintAt(data, 0);
}

/** What a wallet or a contract holds of a token, in raw units; null: it is none. */
export async function balanceIn(
  reader: BlockReader,
  token: string,
  wallet: string,
): Promise<bigint | null> {
  const data = await reader.call(token, balanceOfData(wallet));
  return data === null ? null : uintAt(data, 0);
}

/** How much of a token its owner lets a spender take, in raw units; null: it is none. */
export async function allowanceIn(
  reader: BlockReader,
  token: string,
  owner: string,
  spender: string,
): Promise<bigint | null> {
  const data = await reader.call(token, allowanceData(owner, spender));
  return data === null ? null : uintAt(data, 0);
}
