import { sixDecimals } from "../../api/written.ts";
import { Refusal } from "../../serve/refusal.ts";
import type { Page } from "../../serve/world.ts";
import type { ChainTables } from "../index/chain-tables.ts";
import { RemainingTime, reading } from "../index/progress-table.ts";

export interface HolderAnswersOptions {
  readonly chainId: number;
  readonly tables: ChainTables;
  /** A token's decimals; null: it tells none. Undefined: there is no such token. */
  readonly decimals: (token: string) => Promise<number | null | undefined>;
  /** Tokens whose holders are counted, in lower case; one with more transfers is not. */
  readonly tokens: readonly string[];
  readonly mostTransfers: number;
  /** Milliseconds of a clock that is never set. */
  readonly elapsed: () => number;
}

/**
 * Who holds a chain's tokens, in the specification's words. Before all is counted and agrees with the contract,
 * it is refused with `not_indexed` and how far it is; `not_countable` where it never will.
 */
export class HolderAnswers {
  readonly #remaining: RemainingTime;

  constructor(private readonly options: HolderAnswersOptions) {
    this.#remaining = new RemainingTime(options.elapsed);
  }

  /** How many wallets hold a token. Undefined: there is no such token. */
  async count(token: string): Promise<unknown> {
    const found = await this.#counted(token);
    if (found === undefined) return undefined;
    return { ...found.name, holder_count: found.totals.holders };
  }

  /** A page of a token's holders by what they hold. Undefined: there is no such token. */
  async list(token: string, page: Page & { readonly ascending: boolean }): Promise<unknown> {
    const found = await this.#counted(token);
    if (found === undefined) return undefined;
    const { size, offset, ascending } = page;
    return this.options.tables.holders
      .page(found.name.token_address, size, offset, ascending)
      .map(({ wallet, balance }) => ({
        wallet_address: wallet,
        ...found.name,
        balance: balance.toString(),
      }));
  }

  /** Likewise in the earlier family's words, the richest first. */
  async legacyList(token: string, { size, offset }: Page): Promise<unknown> {
    const found = await this.#counted(token);
    if (found === undefined) return undefined;
    const { tables } = this.options;
    const page = tables.holders.page(found.name.token_address, size, offset, false);
    return {
      ...found.name,
      total_holders: found.totals.holders,
      holders: page.map(({ wallet, balance }) => ({
        wallet_address: wallet,
        balance: balance.toString(),
        balance_formatted: found.decimals === null ? null : sixDecimals(balance, found.decimals),
      })),
    };
  }

  /** How many wallets hold a token and how often it was transferred; null while that is not known. */
  async totals(
    token: string,
  ): Promise<{ readonly holders: number; readonly transfers: number } | null> {
    try {
      const found = await this.#counted(token);
      return found?.totals ?? null;
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
  }

  /** How far the count of a token's holders is, in words; null: it is done. */
  progress(token: string): string | null {
    const { tables, mostTransfers, tokens } = this.options;
    const status = tables.status.get(token);
    const source = tables.sources.get("transfers", token);
    if (!tokens.includes(token)) return "not indexed: add the token to `holders`";
    if (status.refused !== null) return `cannot be counted: ${status.refused}`;
    if (status.estimate !== null && source === undefined) {
      const about = (status.estimate / 1e6).toFixed(1);
      return `not indexed: about ${about} M transfers, more than ${mostTransfers / 1e6} M`;
    }
    if (source?.last === null) return status.checked === null ? "100% read, being compared" : null;
    const newest = tables.blocks.newest()?.number ?? 0;
    const done = source === undefined ? 0 : source.last - source.first + 1;
    return reading(this.#remaining.of(`transfers:${token}`, done, newest + 1));
  }

  async #counted(token: string) {
    const { decimals: decimalsOf, tables, chainId } = this.options;
    const address = token.toLowerCase();
    const decimals = await decimalsOf(address);
    if (decimals === undefined) return undefined;
    const progress = this.progress(address);
    const totals = tables.holders.totals(address);
    if (progress !== null || totals === undefined || totals.belowZero > 0) {
      const isRefused = tables.status.get(address).refused !== null;
      throw new Refusal(
        isRefused ? "not_countable" : "not_indexed",
        `holders of ${address}: ${progress ?? "being compared"}`,
      );
    }
    return { name: { token_address: address, chain_id: chainId }, totals, decimals };
  }
}
