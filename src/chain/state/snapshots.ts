import { chainName } from "../../base/chains.ts";
import { DEVELOPMENT } from "../block-times.ts";
import { type Header, readHeader } from "../codec/blocks.ts";
import { toQuantity } from "../codec/words.ts";
import { RpcError } from "../rpc/error-kind.ts";
import type { RpcNode } from "../rpc/node.ts";
import { type Head, type Nodes, upToDate } from "../rpc/nodes.ts";
import { BlockReader, type ReaderContracts } from "./block-reader.ts";
import { ReadersMemory } from "./readers-memory.ts";

/** What was asked for within so long is read again with each new block. */
const REMEMBERED_MS = 600_000;
/** A snapshot lasts a block's time and so long at least, where nobody asks more often. */
const SHORTEST_LIFE_MS = 5_000;
/** Where the newest block is followed, it is asked for no more often than this. */
const HEAD_EVERY_MS = 250;
/** A head that stands for so many blocks' time, and for so long at least, is that of a node that is stuck. */
const STUCK_BLOCKS = 20;
const STUCK_MS = 120_000;
/** A head that is further back than the one before it is one of another node, unless it stays so long. */
const STEP_BACK_MS = 30_000;
/** As many as lie between a head and the block that is read, and some. */
const MOST_HEADS = 8;
/** Blocks from whose times the time between two is measured. */
const MEASURED_BLOCKS = 100;
const FAST_BLOCKS_MS = 6_000;

export interface SnapshotOptions {
  readonly nodes: Nodes;
  readonly contracts: ReaderContracts;
  /** Whether the newest block itself is read: its values may be taken back, and come a block earlier. */
  readonly newest: boolean;
  /** Whether somebody looks at the head all the time (`look`), so that what was read last is the newest. */
  readonly watched: () => boolean;
  /** Epoch milliseconds. */
  readonly date: () => number;
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
}

/** Reads a subject at a block. */
export type Read = (reader: BlockReader) => Promise<unknown>;

interface Snapshot {
  readonly reader: BlockReader;
  /** What was read at this block, by subject. */
  readonly values: Map<string, Promise<unknown>>;
  /** When it was last known to be the one to use. */
  confirmedAt: number;
}

interface Remembered {
  readonly read: Read;
  askedAt: number;
}

/**
 * One block a chain and round: all that is asked for within a block's time is read at the same block, and
 * what was asked for lately is read together when a new one begins.
 */
export class Snapshots {
  readonly #readers = new ReadersMemory();
  readonly #remembered = new Map<string, Remembered>();
  #snapshot: Snapshot | null = null;
  #renewing: Promise<Snapshot> | null = null;
  #blockMs: number | null = null;
  /** The newest blocks that were seen, oldest first. */
  #heads: readonly Header[] = [];

  constructor(private readonly options: SnapshotOptions) {}

  /** The newest block that was read, and the time between blocks in milliseconds; null before the first. */
  get head(): { readonly header: Header; readonly blockMs: number } | null {
    if (this.#snapshot === null || this.#blockMs === null) return null;
    return { header: this.#snapshot.reader.header, blockMs: this.#blockMs };
  }

  /**
   * What is so of a subject (its key) at the current block. `read` of the first who asks is used for all.
   * Unless it is asked for `once`, it is read again with each block that follows, as long as it is asked for.
   * Rejects with RpcError.
   */
  ask(subject: string, read: Read, once = false): Promise<unknown> {
    const snapshot = this.#fresh();
    if (snapshot !== null) return this.#askAt(snapshot, subject, read, once);
    return this.#renewed().then((renewed) => this.#askAt(renewed, subject, read, once));
  }

  /** Looks at the head now. Resolves to the block that is read from now on. Rejects with RpcError. */
  async look(): Promise<Header> {
    return (await this.#renewed()).reader.header;
  }

  /** Reads another block, such as one of the past. */
  readerAt(header: Header): BlockReader {
    const { nodes, contracts } = this.options;
    return new BlockReader(nodes, header, contracts, this.#readers);
  }

  #askAt(snapshot: Snapshot, subject: string, read: Read, once: boolean): Promise<unknown> {
    if (!once) this.#remember(subject, read);
    return snapshot.values.get(subject) ?? this.#readInto(snapshot, subject, read);
  }

  #readInto({ reader, values }: Snapshot, subject: string, read: Read): Promise<unknown> {
    const value = read(reader);
    values.set(subject, value);
    // What failed for want of an answer is read anew when it is asked for again.
    value.catch(() => values.delete(subject));
    return value;
  }

  #remember(subject: string, read: Read): void {
    const askedAt = this.options.now();
    const remembered = this.#remembered.get(subject);
    if (remembered === undefined) this.#remembered.set(subject, { read, askedAt });
    else remembered.askedAt = askedAt;
  }

  /** The snapshot that is to be used; null: it is to be renewed. */
  #fresh(): Snapshot | null {
    const snapshot = this.#snapshot;
    if (snapshot === null) return null;
    return this.options.now() - snapshot.confirmedAt < this.#lifeMs() ? snapshot : null;
  }

  #lifeMs(): number {
    const { newest, watched } = this.options;
    if (newest && !watched()) return HEAD_EVERY_MS;
    return Math.max(SHORTEST_LIFE_MS, this.#blockMs ?? 0);
  }

  #renewed(): Promise<Snapshot> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #renew(): Promise<Snapshot> {
    const { nodes, contracts, now } = this.options;
    const header = await this.#chosen();
    const old = this.#snapshot;
    if (old?.reader.header.hash === header.hash) {
      old.confirmedAt = now();
      return old;
    }
    if (old !== null && (await this.#isDoubtful(header, old))) return old;
    const reader = new BlockReader(nodes, header, contracts, this.#readers);
    const snapshot: Snapshot = { reader, values: new Map(), confirmedAt: now() };
    this.#snapshot = snapshot;
    this.#readRemembered(snapshot);
    return snapshot;
  }

  /**
   * Whether a block that is no further than the one that is read is not believed yet: providers answer from several
   * nodes in turn, of which one is behind or on another branch, and values would go to and fro. A branch is
   * followed if it is seen twice in a row, and a chain that is shorter once it has stayed so for a while.
   */
  async #isDoubtful({ number, hash }: Header, { reader, confirmedAt }: Snapshot): Promise<boolean> {
    const known = reader.header.number;
    if (number > known) return false;
    if (number < known) return this.options.now() - confirmedAt < STEP_BACK_MS;
    return (await this.#chosen()).hash !== hash;
  }

  #readRemembered(snapshot: Snapshot): void {
    const since = this.options.now() - REMEMBERED_MS;
    for (const [subject, { read, askedAt }] of this.#remembered) {
      if (askedAt < since) {
        this.#remembered.delete(subject);
        continue;
      }
      void this.#readInto(snapshot, subject, read);
    }
  }

  /** The block to read: the newest, or one a little behind it, which is less likely to be taken back. */
  async #chosen(): Promise<Header> {
    const { nodes, newest } = this.options;
    const heads = await nodes.each((node) => headerAt(node, "latest"));
    const [first] = upToDate(heads);
    if (first === undefined) throw new RpcError("unreachable", "no node is up to date");
    const { node, value: head } = first;
    this.#blockMs ??= await blockTime(node, head);
    this.#checkAge(head, node);
    const behind = newest ? 0 : this.#blockMs < FAST_BLOCKS_MS ? 5 : 1;
    const number = Math.max(0, head.number - behind);
    const header = number === head.number ? head : await this.#header(node, number, head);
    this.#heads = [...this.#heads.filter((one) => one.number < head.number), head].slice(
      -MOST_HEADS,
    );
    await this.#checkAgreement(header, heads);
    return header;
  }

  /** The header of a block below the head; the head's parent need not be asked for where it was the head before. */
  async #header(node: RpcNode, number: number, head: Header): Promise<Header> {
    let child = head;
    for (const known of this.#heads.toReversed()) {
      if (known.hash !== child.parent) break;
      if (known.number === number) return known;
      child = known;
    }
    return headerAt(node, number);
  }

  /** Two nodes that have different blocks at one height: neither is believed until they agree. */
  async #checkAgreement(wanted: Header, heads: readonly Head<Header>[]): Promise<void> {
    const others = heads.filter(({ value }) => value.number >= wanted.number);
    if (others.length < 2) return;
    const hashes = await Promise.all(
      others.map(async ({ node, value }) => {
        if (value.number === wanted.number) return value.hash;
        // One that does not answer any more does not disagree.
        return headerAt(node, wanted.number).then(
          ({ hash }) => hash,
          () => wanted.hash,
        );
      }),
    );
    if (hashes.every((hash) => hash === wanted.hash)) return;
    throw new RpcError("no_block", `the nodes disagree about block ${wanted.number}`);
  }

  #checkAge({ number, time }: Header, node: RpcNode): void {
    const { date, nodes } = this.options;
    if (DEVELOPMENT.has(nodes.chainId)) return;
    const age = date() - time;
    if (age <= Math.max(STUCK_MS, STUCK_BLOCKS * (this.#blockMs ?? 0))) return;
    const words = `${node.name}: its newest block of ${chainName(nodes.chainId)}, ${number}, is ${Math.round(age / 60_000)} min old`;
    throw new RpcError("unreachable", words);
  }
}

/** The header of a block. Rejects with RpcError; `no_block`: the node does not have it. */
async function headerAt(node: RpcNode, block: number | string): Promise<Header> {
  const tag = typeof block === "number" ? toQuantity(block) : block;
  const answer = await node.call("eth_getBlockByNumber", [tag, false]);
  const header = readHeader(answer);
  if (header !== null) return header;
  if (answer === null) throw new RpcError("no_block", `${node.name}: it has no block ${block}`);
  throw new RpcError("malformed", `${node.name}: what it gives for block ${block} is no block`);
}

/** The mean time between the last blocks, in milliseconds; 0 where there are too few. */
async function blockTime(node: RpcNode, newest: Header): Promise<number> {
  const count = Math.min(MEASURED_BLOCKS, newest.number);
  if (count === 0) return 0;
  const earlier = await headerAt(node, newest.number - count);
  return Math.max(0, (newest.time - earlier.time) / count);
}
