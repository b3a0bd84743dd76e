import { ENDPOINTS, type EndpointSpec } from "../contract/endpoints.ts";
import type { Answer, Ask, RawRecord } from "../model.ts";
import type { Request } from "./source.ts";

/** What one good answer means for the asks of its request. */
export interface Matched {
  /** One for each ask, in the request's order. */
  readonly answers: readonly Answer[];
  /** Entries that nobody asked for, second ones for the same item, and ones that are no object. */
  readonly ignored: number;
}

const ABSENT: Answer = { status: "absent" };

/**
 * Gives each ask its entry: entries may come in any order, letter case and number, and are told
 * by their identifying fields; the first one of an item counts. Gas asks get the whole list.
 */
export function match({ endpoint, asks }: Request, entries: readonly unknown[]): Matched {
  const { batch }: EndpointSpec = ENDPOINTS[endpoint];
  const records = entries.filter(isRecord);
  if (batch === undefined) {
    const answer: Answer = records.length === 0 ? ABSENT : { status: "ok", records };
    return { answers: asks.map(() => answer), ignored: entries.length - records.length };
  }
  const wanted = new Map(asks.map((ask) => [ask.id, ask]));
  const found = new Map<string, RawRecord>();
  for (const entry of records) {
    const id = idText(entry[batch.field]);
    const ask = wanted.get(id);
    if (ask !== undefined && !found.has(id) && isOf(entry, ask)) found.set(id, entry);
  }
  const answers = asks.map((ask): Answer => {
    const entry = found.get(ask.id);
    return entry === undefined ? ABSENT : { status: "ok", records: [entry] };
  });
  return { answers, ignored: entries.length - found.size };
}

/** An id as asks have it; a small NFT id may come as a number. */
function idText(raw: unknown): string {
  if (typeof raw === "string") return raw.toLowerCase();
  return typeof raw === "number" ? String(raw) : "";
}

/** Whether chain, protocol and wallet, where an entry names them, are those that were asked for. */
function isOf(entry: RawRecord, ask: Ask): boolean {
  const { chain_id: chain, protocol, wallet_address: wallet } = entry;
  if (chain !== undefined && chain !== null && idText(chain) !== String(ask.chainId)) return false;
  return isSame(protocol, ask.protocol) && isSame(wallet, ask.wallet);
}

function isSame(given: unknown, asked: string | undefined): boolean {
  return asked === undefined || typeof given !== "string" || given.toLowerCase() === asked;
}

function isRecord(value: unknown): value is RawRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
