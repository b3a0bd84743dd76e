import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** The key in the path of a node's URL, as providers have it. */
export const KEY = "s3cr3tk3y0123456789abcdef";

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

type Reply = Record<string, unknown>;

/** What a node does wrong. */
export type Fault =
  | "none"
  | "down"
  | "hangs"
  | "limits"
  | "page"
  | "cuts"
  | "quota"
  | "echoes"
  | "wrong ids"
  | "no logs"
  | "short ranges"
  | "old head"
  | "other chain"
  | "by number only"
  | "pruned"
  | "small batches";

/** Blocks that a node is behind with the fault `old head`, and their time in ms. */
const BEHIND = 20;

/** A node without old states has those of so many blocks. */
const FEW_BLOCKS = 2;
/** Blocks of a question about logs with the fault `short ranges`. */
const MOST_BLOCKS = 50;

/** A node with a key in its URL that does as the one behind it, but for what it does wrong. */
export class SpoilingNode {
  fault: Fault = "none";
  /** What it says in place of a call's result, which it is given; undefined: the result. */
  lie: (method: string, result: unknown) => unknown = () => undefined;
  requests = 0;
  readonly url: string;
  readonly #target: string;
  readonly #close: () => Promise<void>;

  private constructor(url: string, target: string, close: () => Promise<void>) {
    this.url = url;
    this.#target = target;
    this.#close = close;
  }

  static async before(target: string): Promise<SpoilingNode> {
    const server = createServer((request, response) => {
      void node.#answer(request, response);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const node = new SpoilingNode(`http://127.0.0.1:${port}/v2/${KEY}`, target, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    });
    return node;
  }

  close(): Promise<void> {
    return this.#close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests += 1;
    const text = await textOf(request);
    const json = JSON.parse(text) as Call | readonly Call[];
    const calls = Array.isArray(json) ? (json as readonly Call[]) : [json as Call];
    const send = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
      response.writeHead(status, headers);
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    };
    switch (this.fault) {
      case "down":
        return send(503, `no backend for ${this.url}`);
      case "hangs":
        return;
      case "limits":
        return send(429, { error: `rate limit of ${KEY}` }, { "retry-after": "1" });
      case "page":
        return send(200, `<html>key ${KEY}</html>`);
      case "cuts":
        response.writeHead(200, { "content-length": "1000" });
        response.write("{");
        response.destroy();
        return;
      default:
    }
    const replies = await Promise.all(calls.map((call) => this.#reply(call, calls.length)));
    if (this.fault === "small batches" && calls.length > 2) return send(413, "too large");
    const body = this.fault === "wrong ids" ? replies.map((one) => ({ ...one, id: 7 })) : replies;
    send(200, Array.isArray(json) ? body : body[0]);
  }

  async #reply(call: Call, _count: number): Promise<Reply> {
    const failing = (code: number, message: string): Reply => ({
      jsonrpc: "2.0",
      id: call.id,
      error: { code, message },
    });
    const [first, second] = call.params;
    switch (this.fault) {
      case "quota":
        return failing(-32_005, "daily request count exceeded, request rate limited");
      case "echoes":
        return failing(-32_000, `cannot serve ${this.url} with key ${KEY}`);
      case "other chain":
        if (call.method === "eth_chainId") return { jsonrpc: "2.0", id: call.id, result: "0x89" };
        break;
      case "no logs":
        if (call.method === "eth_getLogs") return { jsonrpc: "2.0", id: call.id, result: [] };
        break;
      case "short ranges": {
        const { fromBlock, toBlock } = (first ?? {}) as Record<string, string | undefined>;
        if (call.method === "eth_getLogs" && Number(toBlock) - Number(fromBlock) >= MOST_BLOCKS) {
          return failing(-32_000, `block range is too large, at most ${MOST_BLOCKS} blocks`);
        }
        break;
      }
      case "by number only":
        if (typeof second === "object") {
          return failing(-32_602, "invalid argument 1: json: cannot unmarshal object into string");
        }
        break;
      case "pruned":
        if (call.method === "eth_call" && (await this.#isOld(second))) {
          return failing(-32_000, "missing trie node 4f9a (path ) state is not available");
        }
        break;
      case "old head":
        if (call.method === "eth_getBlockByNumber" && first === "latest") {
          const head = await this.#ask({ ...call, method: "eth_blockNumber", params: [] });
          const old = `0x${(Number(head.result) - BEHIND).toString(16)}`;
          return this.#ask({ ...call, params: [old, false] });
        }
        break;
      default:
    }
    const reply = await this.#ask(call);
    const lie = this.lie(call.method, reply.result);
    return lie === undefined ? reply : { jsonrpc: "2.0", id: call.id, result: lie };
  }

  /** Whether a call names a block by its number, or by the hash of one that is not among the newest. */
  async #isOld(block: unknown): Promise<boolean> {
    if (typeof block === "string") return true;
    const { blockHash } = block as { readonly blockHash: string };
    const found = await this.#ask({
      id: 1,
      method: "eth_getBlockByHash",
      params: [blockHash, false],
    });
    const head = await this.#ask({ id: 1, method: "eth_blockNumber", params: [] });
    const { number } = found.result as { readonly number: string };
    return Number(head.result) - Number(number) > FEW_BLOCKS;
  }

  async #ask(call: Call): Promise<Reply> {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ jsonrpc: "2.0", ...call });
    const response = await fetch(this.#target, { method: "POST", headers, body });
    return (await response.json()) as Reply;
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
