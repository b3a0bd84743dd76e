import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { keccakOfHex } from "../../../src/chain/codec/words.ts";

/** A log that a block of the fake chain has. */
export interface FakeLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

export interface FakeTransaction {
  readonly gasPrice?: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
}

interface FakeBlock {
  readonly number: number;
  readonly hash: string;
  readonly parent: string;
  readonly time: number;
  readonly logs: readonly FakeLog[];
  readonly transactions: readonly FakeTransaction[];
  readonly bloom: string;
}

export interface MinedBlock {
  readonly logs?: readonly FakeLog[];
  readonly transactions?: readonly FakeTransaction[];
  /** Seconds after the one before; 12 unless told otherwise. */
  readonly after?: number;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A fault of a node: what it answers in place of the truth; undefined: the truth. */
export type Spoil = (
  call: Call,
  truth: unknown,
) => { readonly error: unknown } | { readonly result: unknown } | undefined;

const GAS_LIMIT = 30_000_000n;
const BASE_FEE = 1_000_000_000n;
const CHAIN_ID = 1;

/**
 * A chain in memory that tells of itself over JSON-RPC on loopback, as a node does: it is mined and reorganised
 * by the test, and its node can be made to lie.
 */
export class FakeChain {
  #blocks: FakeBlock[] = [];
  #forks = 0;
  readonly #numbers = new Map<string, number>();
  readonly #start: number;
  /** Answers of `eth_call` by contract and data, at a block. */
  view: (to: string, data: string, block: FakeBlock) => string = () => "0x";
  /** Wei of an account, at a block. */
  balance: (account: string, block: FakeBlock) => bigint = () => 0n;

  /** `start`: Unix seconds of the first block. */
  constructor(start: number) {
    this.#start = start;
    this.mine({});
  }

  get head(): FakeBlock {
    const head = this.#blocks.at(-1);
    if (head === undefined) throw new Error("there is no block");
    return head;
  }

  get blocks(): readonly FakeBlock[] {
    return this.#blocks;
  }

  mine({ logs = [], transactions = [], after = 12 }: MinedBlock): void {
    const before = this.#blocks.at(-1);
    const number = this.#blocks.length;
    const parent = before?.hash ?? `0x${"0".repeat(64)}`;
    const time = before === undefined ? this.#start : before.time + after;
    const text = JSON.stringify([number, parent, time, logs, transactions, this.#forks]);
    const hash = digestOf(text);
    this.#numbers.set(hash, number);
    this.#blocks.push({ number, hash, parent, time, logs, transactions, bloom: bloomOf(logs) });
  }

  /** Takes the newest `depth` blocks back; what is mined from now on is another branch. */
  reorg(depth: number): void {
    this.#blocks = this.#blocks.slice(0, this.#blocks.length - depth);
    this.#forks += 1;
  }

  /** The state of the chain as it is now, which later blocks leave alone: for a node with another head. */
  copy(): FakeChain {
    const copy = new FakeChain(this.#start);
    copy.#blocks = [...this.#blocks];
    for (const { hash, number } of copy.#blocks) copy.#numbers.set(hash, number);
    copy.#forks = this.#forks + 1_000;
    copy.view = this.view;
    copy.balance = this.balance;
    return copy;
  }

  answer({ method, params }: Call): unknown {
    switch (method) {
      case "eth_chainId":
        return hex(CHAIN_ID);
      case "eth_getBlockByNumber":
        return this.#shown(this.#byTag(params[0]), params[1] === true);
      case "eth_getBlockByHash":
        return this.#shown(this.#byHash(params[0]), params[1] === true);
      case "eth_getLogs":
        return this.#logs(params[0] as Filter);
      case "eth_feeHistory":
        return this.#fees(Number(params[0]), Number(params[1]), params[2] as number[]);
      case "eth_call": {
        const [{ to, data }, at] = params as [{ to: string; data: string }, { blockHash: string }];
        const block = this.#byHash(at.blockHash);
        if (block === undefined) throw new FakeError(-32001, "header not found");
        return this.view(to, data, block);
      }
      case "eth_getBalance": {
        const [account, at] = params as [string, { blockHash: string }];
        const block = this.#byHash(at.blockHash);
        if (block === undefined) throw new FakeError(-32001, "header not found");
        return hex(this.balance(account, block));
      }
      case "eth_getCode":
        // No contract is where one is expected: calls go alone.
        return "0x";
      default:
        throw new FakeError(-32601, `the method ${method} does not exist`);
    }
  }

  #byTag(tag: unknown): FakeBlock | undefined {
    if (tag === "latest") return this.#blocks.at(-1);
    return this.#blocks[Number(tag)];
  }

  #byHash(hash: unknown): FakeBlock | undefined {
    const number = this.#numbers.get(String(hash)) ?? -1;
    const block = this.#blocks[number];
    return block?.hash === hash ? block : undefined;
  }

  #shown(block: FakeBlock | undefined, whole: boolean): unknown {
    if (block === undefined) return null;
    const { transactions } = block;
    return {
      number: hex(block.number),
      hash: block.hash,
      parentHash: block.parent,
      timestamp: hex(block.time),
      logsBloom: block.bloom,
      baseFeePerGas: hex(BASE_FEE),
      gasUsed: hex(gasUsed(block)),
      gasLimit: hex(GAS_LIMIT),
      transactions: whole ? transactions : transactions.map((_, i) => hashOf(block, i)),
    };
  }

  #logs({ fromBlock, toBlock, blockHash, address, topics = [] }: Filter): unknown {
    const one = blockHash === undefined ? undefined : this.#byHash(blockHash);
    if (blockHash !== undefined && one === undefined) throw new FakeError(-32000, "unknown block");
    const blocks =
      one === undefined ? this.#blocks.slice(Number(fromBlock), Number(toBlock) + 1) : [one];
    const places = new Set(typeof address === "string" ? [address] : address);
    return blocks.flatMap((block) =>
      block.logs.flatMap((log, i) => {
        const fits =
          places.has(log.address) &&
          topics.every((wanted, at) => wanted === null || wanted.includes(log.topics[at] ?? ""));
        if (!fits) return [];
        const blockNumber = hex(block.number);
        const transactionHash = hashOf(block, i);
        return [{ ...log, blockNumber, blockHash: block.hash, transactionHash, logIndex: hex(i) }];
      }),
    );
  }

  #fees(count: number, newest: number, percentiles: readonly number[]): unknown {
    const blocks = this.#blocks.slice(Math.max(0, newest - count + 1), newest + 1);
    return {
      oldestBlock: hex(blocks[0]?.number ?? 0),
      baseFeePerGas: [...blocks, null].map(() => hex(BASE_FEE)),
      gasUsedRatio: blocks.map((block) => Number(gasUsed(block)) / Number(GAS_LIMIT)),
      reward: blocks.map(({ transactions }) => {
        const tips = transactions.map(tipOf).toSorted((a, b) => (a < b ? -1 : 1));
        return percentiles.map((one) => {
          const place = Math.max(0, Math.ceil((one / 100) * tips.length) - 1);
          return hex(tips[place] ?? 0n);
        });
      }),
    };
  }
}

interface Filter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
  readonly address: string | readonly string[];
  readonly topics?: readonly (readonly string[] | null)[];
}

class FakeError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** A node over HTTP. `chain` says what it knows now; it counts the calls of each method. */
export async function serveChain(
  chain: () => FakeChain,
  spoil: Spoil = () => undefined,
): Promise<{ url: string; calls: Map<string, number>; close: () => Promise<void> }> {
  const calls = new Map<string, number>();
  const answer = (call: Call): unknown => {
    calls.set(call.method, (calls.get(call.method) ?? 0) + 1);
    const head = { jsonrpc: "2.0", id: call.id };
    try {
      const truth = chain().answer(call);
      return { ...head, ...(spoil(call, truth) ?? { result: truth }) };
    } catch (error) {
      if (!(error instanceof FakeError)) throw error;
      return { ...head, error: { code: error.code, message: error.message } };
    }
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const asked = JSON.parse(Buffer.concat(parts).toString()) as Call | Call[];
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)));
    });
  });
  // On a busy machine a connection that idles may be closed just as it is used again.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

function hashOf(block: FakeBlock, index: number): string {
  return digestOf(`${block.hash}:${index}`);
}

function gasUsed({ transactions, logs }: FakeBlock): bigint {
  return 21_000n * BigInt(transactions.length + logs.length);
}

function tipOf({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: FakeTransaction): bigint {
  if (maxFeePerGas === undefined) return BigInt(gasPrice ?? 0) - BASE_FEE;
  const above = BigInt(maxFeePerGas) - BASE_FEE;
  const most = BigInt(maxPriorityFeePerGas ?? 0);
  return most < above ? most : above;
}

/** Any hash does: nobody checks what it is of. */
function digestOf(text: string): string {
  return `0x${createHash("sha256").update(text).digest("hex")}`;
}

/** Blocks have much in common: what is so in each chain that a test mines is worked out once. */
const bits = new Map<string, readonly number[]>();

function bitsOf(item: string): readonly number[] {
  const known = bits.get(item);
  if (known !== undefined) return known;
  const hash = Buffer.from(keccakOfHex(item.slice(2)), "hex");
  const own = [0, 2, 4].map((at) => hash.readUInt16BE(at) & 0x7ff);
  bits.set(item, own);
  return own;
}

/** The bloom that a header with these logs has, written apart from the one that reads it. */
function bloomOf(logs: readonly FakeLog[]): string {
  const bytes = new Uint8Array(256);
  for (const item of logs.flatMap(({ address, topics }) => [address, ...topics])) {
    for (const bit of bitsOf(item)) {
      const byte = 255 - (bit >> 3);
      bytes[byte] = (bytes[byte] ?? 0) | (1 << (bit & 7));
    }
  }
  return `0x${Buffer.from(bytes).toString("hex")}`;
}
