import { HOUR } from "../../base/duration.ts";
import { balanceOfData, SELECTORS } from "../codec/calls.ts";
import { TOPICS } from "../codec/events.ts";
import { uintAt } from "../codec/words.ts";
import { RpcError } from "../rpc/error-kind.ts";
import type { RpcNode } from "../rpc/node.ts";
import type { ChainReporter, Nodes } from "../rpc/nodes.ts";
import type { ChainTables } from "./chain-tables.ts";
import { logFilter, logsIn } from "./logs.ts";
import { type BlockRange, estimate, FIRST_SIZE, samplesOf } from "./ranges.ts";
import { type KeptBlock, LINKED } from "./reorg.ts";

/** The richest wallets are compared one by one. */
const COMPARED = 50;
/** The sums are compared so often (ms). */
const EVERY_MS = HOUR;

export interface CountOptions {
  readonly tables: ChainTables;
  readonly nodes: Nodes;
  /** Of which tokens, in lower case. */
  readonly tokens: readonly string[];
  /** A token with more transfers is not counted. */
  readonly mostTransfers: number;
  readonly report: ChainReporter;
  readonly elapsed: () => number;
}

/**
 * Begins to count the holders of tokens, and compares the sums with what the contracts say: a token whose
 * balances change without a transfer (one that rebases, or pays interest) has no holders that could be told.
 */
export class CountHolders {
  /** When each was last compared, on the clock that is never set. */
  readonly #compared = new Map<string, number>();

  constructor(private readonly options: CountOptions) {}

  /** Does one thing that is due. False: nothing is. Rejects with RpcError. */
  async step(): Promise<boolean> {
    const { tables, tokens, elapsed } = this.options;
    const newest = tables.blocks.newest();
    if (newest === undefined) return false;
    for (const token of tokens) {
      const source = tables.sources.get("transfers", token);
      const status = tables.status.get(token);
      if (source === undefined && status.refused === null && status.estimate === null) {
        await this.#begin(token, newest.number - LINKED);
        return true;
      }
      const since = elapsed() - (this.#compared.get(token) ?? Number.NEGATIVE_INFINITY);
      if (source?.last === null && status.refused === null && since >= EVERY_MS) {
        await this.#compare(token, newest);
        return true;
      }
    }
    return false;
  }

  async #begin(token: string, last: number): Promise<void> {
    const { tables, mostTransfers } = this.options;
    const whole = { first: 0, last: Math.max(0, last) };
    const samples: (BlockRange & { readonly logs: number })[] = [];
    for (const range of samplesOf(whole, FIRST_SIZE.blocks))
      samples.push(await this.#sample(token, range));
    const transfers = estimate(whole, samples);
    tables.write(() => {
      tables.status.put(token, { estimate: transfers });
      if (transfers <= mostTransfers) tables.sources.add("transfers", token, 0);
    });
  }

  /** Looks at a range, or at a smaller one in its middle where that is too much. */
  async #sample(
    token: string,
    { first, last }: BlockRange,
  ): Promise<BlockRange & { readonly logs: number }> {
    const filter = logFilter([token], [TOPICS.transfer]);
    try {
      const logs = await this.options.nodes.use((node) => logsIn(node, filter, { first, last }));
      return { first, last, logs: logs.length };
    } catch (error) {
      if (!(error instanceof RpcError) || error.kind !== "too_much" || first === last) throw error;
      const quarter = Math.ceil((last - first + 1) / 4);
      return this.#sample(token, {
        first: first + quarter,
        last: Math.max(first + quarter, last - quarter),
      });
    }
  }

  async #compare(token: string, newest: KeptBlock): Promise<void> {
    const { tables, nodes, report, elapsed } = this.options;
    const totals = tables.holders.totals(token);
    const richest = tables.holders.page(token, COMPARED, 0, false);
    const wallets = richest.map(({ wallet }) => wallet);
    const [supply, ...balances] = await nodes.use((node) =>
      valuesAt(node, token, newest.hash, [
        SELECTORS.totalSupply,
        ...wallets.map((wallet) => balanceOfData(wallet)),
      ]),
    );
    if (totals === undefined || tables.blocks.newest()?.hash !== newest.hash) return;
    this.#compared.set(token, elapsed());
    const other = richest.findIndex(({ balance }, i) => balance !== balances[i]);
    const reason =
      totals.belowZero > 0
        ? `${totals.belowZero} wallets sent more than transfers say they had`
        : supply !== totals.supply
          ? `its transfers add up to ${totals.supply} and its supply is ${supply ?? "not told"}`
          : other >= 0
            ? `the transfers of ${wallets[other]} add up to ${richest[other]?.balance}, and it holds ${balances[other] ?? "what is not told"}`
            : null;
    const { recounts } = tables.status.get(token);
    if (reason !== null) this.#compared.delete(token);
    tables.write(() => {
      if (reason === null) tables.status.put(token, { checked: newest.number, recounts: 0 });
      else if (recounts === 0) {
        // Logs that a node left out look just the same: all are read once more.
        tables.status.put(token, { checked: null, recounts: 1 });
        tables.holders.clear(token);
        tables.sources.move({ kind: "transfers", id: token }, -1);
      } else {
        tables.status.put(token, { checked: null, refused: reason });
        tables.holders.clear(token);
        tables.sources.drop("transfers", token);
      }
    });
    if (reason === null) return;
    const message =
      recounts === 0
        ? "the transfers of a token do not add up: they are read once more"
        : "the holders of a token cannot be counted";
    report("warn", message, { token, reason });
  }
}

/** What calls of a contract without effect return as their first word; undefined where one failed. */
async function valuesAt(
  node: RpcNode,
  to: string,
  blockHash: string,
  calls: readonly string[],
): Promise<readonly (bigint | undefined)[]> {
  const results = await node.batch(
    calls.map((data) => ({
      method: "eth_call",
      params: [
        { to, data },
        { blockHash, requireCanonical: true },
      ],
    })),
  );
  return results.map((result) => {
    if (!result.ok && result.error.kind !== "reverted") throw result.error;
    if (!result.ok || typeof result.value !== "string") return undefined;
    return uintAt(result.value, 0) ?? undefined;
  });
}
