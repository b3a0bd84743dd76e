import type { Clock } from "../../base/clock.ts";
import { DAY, MINUTE, SECOND } from "../../base/duration.ts";
import { hourBorder } from "../gas/borders.ts";
import { hourAt } from "../gas/gas-table.ts";
import { estimatedGas, exactGas, gasSoFar } from "../gas/live-gas.ts";
import { GasPast } from "../gas/past.ts";
import { RpcError } from "../rpc/error-kind.ts";
import type { RpcNode } from "../rpc/node.ts";
import { type ChainReporter, type Nodes, upToDate } from "../rpc/nodes.ts";
import { blockAtTag } from "./blocks.ts";
import { CatchUp } from "./catch-up.ts";
import type { ChainTables } from "./chain-tables.ts";
import { CountHolders } from "./count-holders.ts";
import { Follower } from "./follow.ts";
import { LiveLogs, type LoggingContracts } from "./live-logs.ts";
import { ProgressReckoning } from "./progress.ts";
import { reading } from "./progress-table.ts";
import type { WantedKind } from "./sources.ts";

export interface IndexerOptions {
  readonly nodes: Nodes;
  readonly tables: ChainTables;
  readonly clock: Clock;
  readonly report: ChainReporter;
  /** Requests a second that may be made for what is not urgent. */
  readonly backgroundRate: () => number;
  readonly contracts: LoggingContracts;
  /** No owner had a V4 position before (epoch ms). */
  readonly ownersSince: number;
  /** Whether each block is read with its transactions; null: where one comes every six seconds or more rarely. */
  readonly exactGas: boolean | null;
  /** Swaps and changes of liquidity are read from so many days before a pool is first followed. */
  readonly days: number;
  /** Tokens whose holders are counted, in lower case. */
  readonly holders: readonly string[];
  readonly mostTransfers: number;
}

/** Blocks that come more often are not read with their transactions unless that is asked for (ms). */
const EXACT_FROM_MS = 6 * SECOND;
/** The head is looked at once a block's time, within these bounds (ms). */
const SOONEST_MS = SECOND;
const LATEST_MS = 12 * SECOND;
/** After a failure it is tried again so much later (ms). */
const AGAIN_MS = 2 * SECOND;
/** How far the past is read is written down, and told, so often (ms). */
const NOTED_EVERY_MS = 10 * SECOND;
const TOLD_EVERY_MS = MINUTE;

/**
 * Keeps what a chain's blocks and logs tell: follows the head, and between two looks reads what lies behind,
 * what is asked for first, then hours of gas.
 */
export class Indexer {
  readonly #follower: Follower;
  readonly #catchUp: CatchUp;
  readonly #holders: CountHolders;
  readonly #past: GasPast;
  /** Pools that are to be followed and whose window has no beginning yet. */
  readonly #wanted = new Map<string, WantedKind>();
  readonly #progress: ProgressReckoning;
  #notedAt = 0;
  #toldAt = 0;
  #hasOpen = true;
  /** What was told to be read, and has not been told to be done. */
  #told: readonly string[] = [];
  #lastTrouble = "";
  /** Ends the wait that there is. */
  #wake: () => void = () => {};

  constructor(private readonly options: IndexerOptions) {
    const { tables, nodes, report, clock, contracts } = options;
    const live = new LiveLogs(tables, contracts);
    const elapsed = (): number => clock.elapsed();
    this.#follower = new Follower({
      tables,
      live,
      report,
      gas: (node, blocks) =>
        this.#isExact() ? exactGas(node, blocks) : estimatedGas(node, blocks),
      gasSoFar: (node, blocks) => gasSoFar(node, blocks, tables, report),
    });
    this.#catchUp = new CatchUp({ tables, nodes, contracts, elapsed });
    this.#holders = new CountHolders({
      tables,
      nodes,
      report,
      elapsed,
      tokens: options.holders,
      mostTransfers: options.mostTransfers,
    });
    this.#past = new GasPast(tables, report, options.days);
    this.#progress = new ProgressReckoning(tables, elapsed);
    this.#notedAt = this.#toldAt = elapsed();
  }

  /** Follows a source from now on; its window reaches back by the configured days, an owner's to the first position. */
  want(kind: WantedKind, id: string): void {
    if (this.options.tables.sources.get(kind, id) !== undefined) return;
    this.#wanted.set(id, kind);
    this.#wake();
  }

  /** Works until the signal aborts; never rejects with what a node may cause. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await this.#round(signal);
  }

  /** Looks at the head once, and does other work until the next look is due. */
  async #round(signal: AbortSignal): Promise<void> {
    const { clock } = this.options;
    const due = clock.elapsed() + this.#pauseMs();
    if ((await this.#tried(() => this.level())) === null) return this.#wait(AGAIN_MS, signal);
    while (!signal.aborted && clock.elapsed() < due) {
      const began = clock.elapsed();
      const before = this.#requests();
      const done = await this.#tried(() => this.background());
      if (done !== null) this.#noteProgress(!done);
      if (done !== true) break;
      const spent = (this.#requests() - before) / this.options.backgroundRate();
      await this.#wait(began + spent * SECOND - clock.elapsed(), signal);
    }
    await this.#wait(due - clock.elapsed(), signal);
  }

  /** Reads new blocks until there are none. Rejects with RpcError. */
  async level(): Promise<true> {
    const { nodes } = this.options;
    const near = await this.#upToDate();
    for (let moved = true; moved; ) {
      moved = await nodes.use((node) => this.#follower.step(node), near);
    }
    return true;
  }

  /** Which nodes may be followed: one that is stuck has nothing new, and does not say so. Rejects with RpcError. */
  async #upToDate(): Promise<(node: RpcNode) => boolean> {
    const { nodes } = this.options;
    if (nodes.all.length === 1) return () => true;
    const heads = upToDate(await nodes.each((node) => blockAtTag(node, "latest")));
    const near = new Set(heads.map(({ node }) => node));
    return (node) => near.has(node);
  }

  /** Reads one piece of what lies behind. False: there is nothing left. Rejects with RpcError. */
  async background(): Promise<boolean> {
    const { nodes } = this.options;
    if (await this.#beginWindows()) return true;
    if (await this.#catchUp.step()) return true;
    if (await this.#holders.step()) return true;
    return nodes.use((node) => this.#past.step(node));
  }

  /** Writes down how far the past is read, and says so in the log once a minute while it is. */
  #noteProgress(isDone: boolean): void {
    const { tables, clock, report } = this.options;
    const now = clock.elapsed();
    const isDue = now - this.#notedAt >= NOTED_EVERY_MS;
    if (isDone ? !this.#hasOpen : !isDue) return;
    const open = this.#progress.open(isDone);
    this.#hasOpen = open.length > 0;
    tables.write(() => tables.progress.put(open, clock.now()));
    this.#notedAt = now;
    for (const work of this.#told.filter((one) => !open.some((other) => other.work === one))) {
      report("info", "the past is read", { work });
    }
    this.#told = this.#told.filter((one) => open.some(({ work }) => work === one));
    if (now - this.#toldAt < TOLD_EVERY_MS) return;
    this.#toldAt = now;
    for (const one of open) {
      report("info", "reading the past", { work: one.work, progress: reading(one) });
    }
    this.#told = open.map(({ work }) => work);
  }

  async #beginWindows(): Promise<boolean> {
    const { nodes, tables, days } = this.options;
    const newest = tables.blocks.newest();
    if (newest === undefined || this.#wanted.size === 0) return false;
    const { ownersSince } = this.options;
    const wanted = [...this.#wanted];
    const border = (hour: number): Promise<number> =>
      nodes.use((node) => hourBorder(node, hour, newest, 1_800));
    const begin = hourAt(newest.time - days * DAY);
    const first = tables.borders.at(begin) ?? (await border(begin));
    const isOwner = wanted.some(([, kind]) => kind === "owner");
    const earliest = isOwner && ownersSince > 0 ? await border(ownersSince) : 0;
    tables.write(() => {
      tables.borders.put(begin, first);
      for (const [id, kind] of wanted) {
        tables.sources.add(kind, id, kind === "owner" ? earliest : first);
      }
    });
    for (const [id] of wanted) this.#wanted.delete(id);
    return true;
  }

  /** The mean time between the newest blocks (ms). */
  #blockMs(): number {
    const { blocks } = this.options.tables;
    const [oldest, newest] = [blocks.oldest(), blocks.newest()];
    if (oldest === undefined || newest === undefined || newest.number === oldest.number) {
      return LATEST_MS;
    }
    return (newest.time - oldest.time) / (newest.number - oldest.number);
  }

  #isExact(): boolean {
    return this.options.exactGas ?? this.#blockMs() >= EXACT_FROM_MS;
  }

  #pauseMs(): number {
    return Math.min(Math.max(this.#blockMs(), SOONEST_MS), LATEST_MS);
  }

  #requests(): number {
    return this.options.nodes.all.reduce((sum, { sent }) => sum + sent.requests, 0);
  }

  /** What work came to; null: no node did what was wanted, which is said once for each reason. */
  async #tried(work: () => Promise<boolean>): Promise<boolean | null> {
    try {
      const done = await work();
      this.#lastTrouble = "";
      return done;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (this.#lastTrouble !== error.kind) {
        const level = error.kind === "no_block" ? "debug" : "warn";
        this.options.report(level, "reading the chain failed; it is tried again", {
          chain: this.options.nodes.chainId,
          detail: error.message,
        });
      }
      this.#lastTrouble = error.kind;
      return null;
    }
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancel();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const cancel = this.options.clock.after(ms, end);
      this.#wake = end;
      signal.addEventListener("abort", end, { once: true });
    });
  }
}
