import { type ChainLog, readLog } from "../codec/events.ts";
import { keccakOfHex, toQuantity } from "../codec/words.ts";
import type { RpcError } from "../rpc/error-kind.ts";
import type { RpcNode } from "../rpc/node.ts";
import { type Block, malformed } from "./blocks.ts";
import type { BlockRange } from "./ranges.ts";

const DIGITS = 512;
const BITS = 2_048;

/**
 * A test of the blooms of blocks (256 bytes with `0x`): whether a block may have a log with one of the items
 * of each list, its address and topics, all hexadecimal with `0x`. False is certain only of what a bloom
 * covers: chains may keep none (all zero), and some leave out the logs of their own transactions.
 * Source: Ethereum yellow paper, section 4.3.1, M3:2048.
 */
export function bloomTest(
  lists: readonly (readonly string[])[],
): (bloom: string | null) => boolean {
  const bitLists = lists.map((items) => items.map(bitsOf));
  return (bloom) => {
    if (bloom?.length !== DIGITS + 2) return true;
    return bitLists.every((items) => items.some((bits) => bits.every((bit) => hasBit(bloom, bit))));
  };
}

/** Whether a bloom says nothing: none was kept, or the block has no logs. */
export function isBlank(bloom: string | null): boolean {
  return bloom === null || /^0x0*$/.test(bloom);
}

function bitsOf(item: string): readonly number[] {
  const hash = keccakOfHex(item.slice(2));
  return [0, 4, 8].map((digit) => Number.parseInt(hash.slice(digit, digit + 4), 16) % BITS);
}

function hasBit(bloom: string, bit: number): boolean {
  // Bit 0 is the lowest of the last byte.
  const digit = bloom[DIGITS + 1 - Math.floor(bit / 4)] ?? "0";
  return ((Number.parseInt(digit, 16) >> (bit % 4)) & 1) === 1;
}

/** Which logs are wanted: of any of these addresses, with any of these first topics, and so on. */
export interface LogFilter {
  /** One at least, in lower case. */
  readonly addresses: readonly string[];
  /** One at least. */
  readonly events: readonly string[];
  /** What the second topic may be; null: anything. */
  readonly subjects: readonly string[] | null;
  /** What the third topic may be; null: anything. */
  readonly receivers: readonly string[] | null;
  /** Whether a block with this bloom may have such logs. */
  readonly mayBeIn: (bloom: string | null) => boolean;
}

export function logFilter(
  addresses: readonly string[],
  events: readonly string[],
  subjects: readonly string[] | null = null,
  receivers: readonly string[] | null = null,
): LogFilter {
  const topics = [subjects, receivers].filter((list) => list !== null);
  const mayBeIn = bloomTest([addresses, events, ...topics]);
  return { addresses, events, subjects, receivers, mayBeIn };
}

/**
 * The logs of a range in the order of the chain. Rejects with RpcError: `too_much` where less should be
 * asked for, `malformed` where the answer has logs of anything else.
 */
export async function logsIn(
  node: RpcNode,
  filter: LogFilter,
  { first, last }: BlockRange,
): Promise<readonly ChainLog[]> {
  const params = { fromBlock: toQuantity(first), toBlock: toQuantity(last), ...wanted(filter) };
  const answer = await node.call("eth_getLogs", [params]);
  const logs = readLogs(node, filter, answer);
  if (logs.some(({ block }) => block < first || block > last)) throw foreign(node);
  return logs;
}

/**
 * The logs of each of these blocks for each of the filters, in their order: named by hash, so that none are
 * those of another head. Where a block's bloom says that it may have such logs and the answer has none, it
 * is asked for again: nodes answer with an empty list before they have written the logs of a new block.
 * Rejects with RpcError; `no_block` where the node no longer has one of the blocks.
 */
export async function logsOf(
  node: RpcNode,
  filters: readonly LogFilter[],
  blocks: readonly Block[],
): Promise<readonly ChainLog[]> {
  const asked = filters.flatMap((filter) => blocks.map((block) => ({ filter, block })));
  const answers = await askEach(node, asked);
  const doubted = asked.filter(({ filter, block: { bloom, gasUsed } }, i) => {
    // A bloom that says nothing leaves no way to tell but to ask twice, where something happened at all.
    const may = isBlank(bloom) ? gasUsed > 0n : filter.mayBeIn(bloom);
    return may && answers[i]?.length === 0;
  });
  const again = await askEach(node, doubted);
  return [...answers, ...again].flat().toSorted((a, b) => a.block - b.block || a.index - b.index);
}

async function askEach(
  node: RpcNode,
  asked: readonly { readonly filter: LogFilter; readonly block: Block }[],
): Promise<readonly (readonly ChainLog[])[]> {
  if (asked.length === 0) return [];
  const results = await node.batch(
    asked.map(({ filter, block }) => ({
      method: "eth_getLogs",
      params: [{ blockHash: block.hash, ...wanted(filter) }],
    })),
  );
  return results.map((result, i) => {
    const one = asked[i];
    if (!result.ok) throw result.error;
    if (one === undefined) throw malformed(node, "an answer to no question");
    const logs = readLogs(node, one.filter, result.value);
    if (logs.some(({ blockHash }) => blockHash !== one.block.hash)) throw foreign(node);
    return logs;
  });
}

function wanted({ addresses, events, subjects, receivers }: LogFilter) {
  const topics = receivers === null ? (subjects === null ? [] : [subjects]) : [subjects, receivers];
  return {
    address: addresses.length === 1 ? addresses[0] : addresses,
    topics: [events, ...topics],
  };
}

function readLogs(node: RpcNode, filter: LogFilter, answer: unknown): readonly ChainLog[] {
  if (!Array.isArray(answer)) throw malformed(node, "logs are not a list");
  const [addresses, events] = [new Set(filter.addresses), new Set(filter.events)];
  const subjects = filter.subjects === null ? null : new Set(filter.subjects);
  const receivers = filter.receivers === null ? null : new Set(filter.receivers);
  const logs: ChainLog[] = [];
  for (const value of answer) {
    const log = readLog(value);
    if (log === null) throw malformed(node, "a log cannot be read");
    const [event, subject, receiver] = log.topics;
    if (!addresses.has(log.address) || event === undefined || !events.has(event)) {
      throw foreign(node);
    }
    if (subjects !== null && (subject === undefined || !subjects.has(subject))) throw foreign(node);
    if (receivers !== null && (receiver === undefined || !receivers.has(receiver))) {
      throw foreign(node);
    }
    if (!log.removed) logs.push(log);
  }
  return logs;
}

function foreign(node: RpcNode): RpcError {
  return malformed(node, "logs that were not asked for");
}
