import { withoutKey } from "../../base/redact.ts";
import { cleanText, Secret } from "../../base/text.ts";

/** What a node says is cut to so many characters. */
const LONGEST_WORDS = 120;
/** A shorter part of a path is a word such as `v3`, no key. */
const SHORTEST_PART = 8;

/**
 * A function that makes one clean line of what a node says, without any part of its URL, which is a
 * secret as a whole: keys stand in the path, in the host, in the user and in the query.
 */
export function cleanerOf(url: Secret): (text: string) => string {
  const parts = partsOf(url.reveal()).map((part) => new Secret(part));
  return (text) => {
    // The cut comes last: half of a key is no longer found.
    const clean = parts.reduce((left, part) => withoutKey(left, part), text.slice(0, 4_000));
    return cleanText(clean, LONGEST_WORDS);
  };
}

function partsOf(address: string): readonly string[] {
  const { href, host, hostname, username, password, pathname, search } = new URL(address);
  const names = hostname.split(".").filter((name) => name.length >= SHORTEST_PART);
  const steps = pathname.split("/").filter((step) => step.length >= SHORTEST_PART);
  const values = [...new URLSearchParams(search).values()];
  const parts = [address, href, pathname, host, hostname, username, password, search];
  return [...parts, ...names, ...steps, ...values]
    .filter((part) => part.length > 3)
    .toSorted((a, b) => b.length - a.length);
}

/** What a node that did not answer a call means by it, whatever words and codes it has for it. */
export type ErrorKind =
  /** It is asked too often, or its quota is used up: wait, and ask another one. */
  | "rate_limited"
  /** The answer would be too large or take too long: ask for less. */
  | "too_much"
  /** It does not have this method, or not this form of it. */
  | "no_method"
  /** It no longer has the state of that block: it is no archive. */
  | "no_state"
  /** It does not know that block: it is behind, or the block was reorganised away. */
  | "no_block"
  /** The contract refused: what was asked about has no such value. */
  | "reverted"
  /** The key in its URL, or the request as such, is refused. */
  | "unauthorized"
  /** No answer came: no connection, no time, a server's error, a page for people. */
  | "unreachable"
  /** The answer is not what the protocol says. */
  | "malformed"
  /** It is a node of another chain. */
  | "wrong_chain"
  /** Anything else that it says. */
  | "failed";

/** What a node said in place of a result. */
interface RpcFault {
  readonly method: string;
  /** The HTTP status; 200 where the fault stood in a good answer. */
  readonly status: number;
  /** JSON-RPC's code; null where there was none. */
  readonly code: number | null;
  readonly message: string;
}

const GAS = /out of gas|gas (?:limit|required|cap)|exceeds (?:block )?gas/i;
const REVERTED = /revert|vm execution error|invalid opcode|stack (?:under|over)flow|invalid jump/i;
const NO_STATE =
  /missing trie node|prun(?:ed|ing)|archive|historical state|state (?:is )?(?:not |un)available|no state available|world state|proof window|state at block|state histor/i;
const NO_BLOCK =
  /unknown block|(?:header|block)(?: for hash)? (?:was )?not found|not (?:currently )?canonical|could not find block|block ?out ?of ?range|block height|block .{0,80}(?:not found|not available yet)|unfinalized|missing block/i;
const RATE =
  /rate|quota|too many requests|requests? (?:per|count|limit)|compute units|capacity|credits|throughput|throttl|daily|monthly|plan limit/i;
const RANGE =
  /block range|range (?:is )?(?:too|exceed|limit)|more than [\d,]+ (?:results|logs|blocks)|too many (?:results|logs|blocks|topics)|(?:response|result|payload|body|content).{0,24}(?:size|large|big|exceed)|(?:blocks?|range|results?|logs).{0,40}(?:limit|exceed|maximum|max\b)|(?:limit|exceed|maximum|max\b).{0,40}(?:blocks?|range|results?|logs)|limited to|narrow|too large|too wide/i;
const SLOW = /time[d-]? ?out|timeout|deadline|took too long|cancell?ed|aborted/i;
const NO_METHOD =
  /method .{0,60}(?:not (?:found|supported|available|allowed|whitelisted|exist)|does not exist|disabled)|unsupported method|unknown method|invalid method/i;

/**
 * A pure reading of a fault. Codes are used for several things (−32005 is a rate, a range and a time
 * limit, by provider), so that the text and the method decide first.
 */
export function kindOf({ method, status, code, message }: RpcFault): ErrorKind {
  if (status === 413) return "too_much";
  if (status === 401 || status === 403 || status === 407) return "unauthorized";
  const asked = method === "eth_getLogs" || method === "eth_feeHistory";
  // A list that is too long is often called a limit, and a limit of requests is named as one.
  if (asked && RANGE.test(message) && !/requests?\b|quota|compute/i.test(message))
    return "too_much";
  if (status === 429 || code === 429) return "rate_limited";
  if (
    asked &&
    (SLOW.test(message) || (code === -32005 && /^\W*limit exceeded\W*$/i.test(message)))
  ) {
    return "too_much";
  }
  if (GAS.test(message)) return "too_much";
  if (code === 3 || REVERTED.test(message)) return "reverted";
  if (NO_STATE.test(message)) return "no_state";
  if (code === -32001 || NO_BLOCK.test(message)) return "no_block";
  if (code === -32601 || NO_METHOD.test(message)) return "no_method";
  if (code === -32005 || code === -32016 || code === -32029 || RATE.test(message)) {
    return "rate_limited";
  }
  if (RANGE.test(message)) return "too_much";
  if (status >= 500) return "unreachable";
  return "failed";
}

/** A node's fault, or that of the way to it. The message names the node as "node 1" and holds no part of its URL. */
export class RpcError extends Error {
  override readonly name = "RpcError";

  constructor(
    readonly kind: ErrorKind,
    message: string,
    /** What the node asks to wait, in milliseconds; null: it says nothing. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}
