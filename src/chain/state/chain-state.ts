import { chainById, chainName } from "../../base/chains.ts";
import { SECOND } from "../../base/duration.ts";
import type { RpcChain } from "../../model/index.ts";
import type { SeenTable } from "../db/seen-table.ts";
import { type Deployments, deploymentsOf, stablecoinsOf } from "../deployments.ts";
import { RecentGas } from "../gas/recent.ts";
import { PastPrices } from "../prices/past-prices.ts";
import { Prices } from "../prices/prices.ts";
import type { Venue } from "../prices/venues.ts";
import { RpcError } from "../rpc/error-kind.ts";
import { RpcNode } from "../rpc/node.ts";
import { type ChainReporter, Nodes } from "../rpc/nodes.ts";
import { probe, probeWords } from "../rpc/probes.ts";
import type { BlockReader } from "./block-reader.ts";
import { Days } from "./days.ts";
import { Ledgers } from "./ledgers.ts";
import { Origins } from "./origins.ts";
import { Records } from "./records.ts";
import { type Read, Snapshots } from "./snapshots.ts";
import { Tokens } from "./tokens.ts";
import { Updates } from "./updates.ts";
import { V3Pools } from "./v3-pools.ts";
import { V3Positions } from "./v3-positions.ts";
import { V4Keys } from "./v4-keys.ts";
import type { UsdOf, V4PoolState } from "./v4-pools.ts";
import type { V4PositionRecord } from "./v4-positions.ts";

export interface ChainStateOptions {
  readonly chainId: number;
  readonly config: RpcChain;
  readonly report: ChainReporter;
  /** Whether the newest block is read, whose values may be taken back. */
  readonly newest: boolean;
  /** Whether its head is looked at all the time. */
  readonly watched: () => boolean;
  /** Epoch milliseconds. */
  readonly date: () => number;
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
  /** Where it is kept since when pools and positions are as they are; null: nowhere. */
  readonly seen?: () => Promise<SeenTable | null>;
}

/** So much of what a node may be asked is for the state of the chain. */
const STATE_SHARE = 0.5;

/** What is read of a chain once it is known which contracts it has. */
export interface ChainParts {
  readonly chainId: number;
  readonly contracts: Deployments;
  readonly snapshots: Snapshots;
  readonly keys: V4Keys;
  readonly tokens: Tokens;
  /** As they were read last. */
  readonly pools: Records<V4PoolState>;
  readonly positions: Records<V4PositionRecord>;
  readonly ledgers: Ledgers;
  readonly origins: Origins;
  readonly updates: Updates;
  readonly v3: V3Pools;
  readonly v3Positions: V3Positions;
  readonly days: Days;
  readonly pastPrices: PastPrices;
  readonly recentGas: RecentGas;
  /** Tokens that count as one dollar. */
  readonly stable: readonly string[];
  readonly usdOf: UsdOf;
  /** The deepest pools of the native token with a stablecoin. */
  readonly nativeVenues: (reader: BlockReader) => Promise<readonly Venue[]>;
}

/** A contract that the configuration names and that is not there: a person must put it right. */
export class NoContract extends Error {
  override readonly name = "NoContract";
}

/** The current state of one chain, from its nodes. */
export class ChainState {
  readonly chainId: number;
  readonly nodes: Nodes;
  /** Of the requests that its nodes may be sent so much is this process's. */
  #part = 1;
  #opened: Promise<ChainParts> | null = null;
  /** The same once it is there. */
  #parts: ChainParts | null = null;

  /** Throws TypeError where a URL is none. */
  constructor(private readonly options: ChainStateOptions) {
    const { chainId, config, report, now } = options;
    const { timeoutMs } = config;
    this.chainId = chainId;
    const requestsPerSecond = this.#rate();
    const nodes = config.urls.map(
      (url, i) => new RpcNode({ url, name: `node ${i + 1}`, requestsPerSecond, timeoutMs }),
    );
    this.nodes = new Nodes({ chainId, nodes, report, now, agree: config.agree });
  }

  /** Others ask the same nodes: from now on so much of what these may be sent is its own; above 0, and 1 at most. */
  pace(part: number): void {
    this.#part = part;
    for (const node of this.nodes.all) node.pace(this.#rate());
  }

  /** Requests a second. The rest is for what is read of blocks and logs. */
  #rate(): number {
    return this.options.config.requestsPerSecond * STATE_SHARE * this.#part;
  }

  /** Asks which contracts there are, once. Rejects with RpcError, or with NoContract. */
  open(): Promise<ChainParts> {
    const opening = async (): Promise<ChainParts> => {
      try {
        this.#parts = await this.#open();
        return this.#parts;
      } catch (error) {
        this.#opened = null;
        throw error;
      }
    };
    this.#opened ??= opening();
    return this.#opened;
  }

  /** What is so of a subject at the current block. Rejects as `open` does. */
  ask(subject: string, read: (parts: ChainParts) => Read, once = false): Promise<unknown> {
    const parts = this.#parts;
    if (parts !== null) return parts.snapshots.ask(subject, read(parts), once);
    return this.open().then((opened) => opened.snapshots.ask(subject, read(opened), once));
  }

  /** What each node can do, as lines for people. */
  async nodeLines(): Promise<readonly string[]> {
    const found = await Promise.all(this.nodes.all.map((node) => probe(node, this.chainId)));
    const now = this.options.date();
    return found.map((one) => `${chainName(this.chainId)}: ${probeWords(one, now)}`);
  }

  /** Writes down what is to be kept. */
  write(): void {
    this.#parts?.updates.write();
  }

  async close(): Promise<void> {
    await this.#parts?.origins.close();
    await this.nodes.close();
  }

  async #open(): Promise<ChainParts> {
    const { config, chainId, newest, watched, date, now } = this.options;
    const contracts = await this.#present(deploymentsOf(chainId, config.contracts));
    const { poolManager, multicall } = contracts;
    const tokens = new Tokens(chainId, now);
    const { stable: named, feeds } = config.usd;
    const stable = named.length > 0 ? named : stablecoinsOf(chainId);
    const prices = new Prices({ contracts, tokens, stable, feeds, now });
    const past = new Prices({ contracts, tokens, stable, feeds, now, isPast: true });
    const { nodes } = this;
    const days = new Days(nodes);
    const snapshots = new Snapshots({
      nodes,
      contracts: { poolManager, multicall },
      newest,
      watched,
      date,
      now,
    });
    const table = (await this.options.seen?.()) ?? null;
    // A quarter of what the state may have.
    const pauseMs = (): number => (4 * SECOND) / this.#rate();
    return {
      chainId,
      contracts,
      origins: new Origins({ nodes, poolManager, table, now, pauseMs }),
      snapshots,
      keys: new V4Keys(contracts.positionManager),
      tokens,
      stable,
      pools: new Records(),
      positions: new Records(),
      ledgers: new Ledgers(nodes, poolManager ?? "", now),
      updates: new Updates(table, now),
      v3: new V3Pools(),
      v3Positions: new V3Positions(contracts),
      days,
      pastPrices: new PastPrices({
        tokens,
        usdOf: (reader, token) => past.usdOf(reader, token),
        // Only where the native currency is ether is a price in it one in ether.
        ether: chainById(chainId)?.nativeSymbol === "ETH" ? contracts.wrappedNative : null,
        lastBlocks: (times, head) => days.lastBlocks(times, head),
        readerAt: (header) => snapshots.readerAt(header),
        now,
      }),
      recentGas: new RecentGas(nodes),
      nativeVenues: (reader) => prices.nativeVenues(reader),
      usdOf: (reader, token, except) => prices.usdOf(reader, token, except),
    };
  }

  /** The contracts that have code; those of the user's own must. */
  async #present(all: Deployments): Promise<Deployments> {
    const { config, report, chainId } = this.options;
    const named = Object.entries(all).filter(
      (entry): entry is [keyof Deployments, string] => entry[1] !== null,
    );
    const results = await this.nodes.batch(
      named.map(([, address]) => ({ method: "eth_getCode", params: [address, "latest"] })),
    );
    const found: { -readonly [Name in keyof Deployments]: string | null } = { ...all };
    for (const [i, [name, address]] of named.entries()) {
      const result = results[i];
      if (result?.ok === false) throw result.error;
      const code = result?.value;
      if (typeof code !== "string")
        throw new RpcError("malformed", "a contract's code is not data");
      if (code !== "0x") continue;
      if (name in config.contracts) {
        throw new NoContract(`there is no contract at ${address} on ${chainName(chainId)}`);
      }
      report("info", "a contract is not on this chain", { chain: chainId, contract: name });
      found[name] = null;
    }
    return found;
  }
}
