/**
 * A node that knows of blocks and fees and of nothing else, in a process of its own: 90 days of regular blocks
 * are more than anvil mines in an hour. It prints its port. Arguments: the number of blocks, and the Unix seconds of
 * the first.
 */
import { createServer } from "node:http";

const [blocks = 0, start = 0] = process.argv.slice(2).map(Number);
const BLOCK_SECONDS = 12;
const hex = (value: number): string => `0x${value.toString(16)}`;
const hashOf = (number: number): string => `0x${(number + 1).toString(16).padStart(64, "0")}`;

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

function blockAt(number: number): unknown {
  return {
    number: hex(number),
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    timestamp: hex(start + number * BLOCK_SECONDS),
    logsBloom: `0x${"0".repeat(512)}`,
    baseFeePerGas: hex(7_000_000_000 + (number % 1_000)),
    gasUsed: hex(15_000_000),
    gasLimit: hex(30_000_000),
    transactions: [],
  };
}

function feesOf(count: number, newest: number): unknown {
  const numbers = Array.from({ length: count }, (_, i) => newest - count + 1 + i);
  return {
    oldestBlock: hex(newest - count + 1),
    baseFeePerGas: [...numbers, newest + 1].map((number) => hex(7_000_000_000 + (number % 1_000))),
    gasUsedRatio: numbers.map((number) => 0.4 + (number % 200) / 1_000),
    reward: numbers.map((number) =>
      Array.from({ length: 12 }, (_, i) => hex(1_000_000 * (i + 1) ** 2 + (number % 977))),
    ),
  };
}

function answer({ id, method, params }: Call): unknown {
  const [first] = params;
  const reply = (result: unknown): unknown => ({ jsonrpc: "2.0", id, result });
  if (method === "eth_chainId") return reply("0x1");
  if (method === "eth_getCode") return reply("0x");
  if (method === "eth_feeHistory") return reply(feesOf(Number(first), Number(params[1])));
  if (method === "eth_getBlockByNumber") {
    return reply(blockAt(first === "latest" ? blocks - 1 : Number(first)));
  }
  return { jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } };
}

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const asked = JSON.parse(Buffer.concat(parts).toString()) as Call | Call[];
    response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)));
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(typeof address === "object" && address !== null ? address.port : 0);
});
// Its parent is gone when nobody holds the other end.
process.stdin.on("close", () => process.exit(0)).resume();
