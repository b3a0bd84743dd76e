import { afterEach, describe, expect, it } from "vitest";
import { Secret } from "../../../src/base/text.ts";
import { RpcNode } from "../../../src/chain/rpc/node.ts";
import { probe, probeWords } from "../../../src/chain/rpc/probes.ts";
import { type Asked, answering, RpcFailure, ScriptedNode } from "./scripted-node.ts";

const HEAD = {
  number: "0x1746b7a",
  hash: `0x${"ab".repeat(32)}`,
  parentHash: `0x${"cd".repeat(32)}`,
  timestamp: "0x6b0baf91",
  gasUsed: "0x0",
  gasLimit: "0x1c9c380",
};
const NOW = 0x6b0baf91 * 1_000 + 4_000;

const ended: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

async function said(answer: (call: Asked) => unknown): Promise<string> {
  const server = await ScriptedNode.start(answering(answer));
  const url = new Secret(server.url);
  const node = new RpcNode({ url, name: "node 1", requestsPerSecond: 100, timeoutMs: 60_000 });
  ended.push(() => node.close(), server.close);
  return probeWords(await probe(node, 1), NOW);
}

describe("what a node can do", () => {
  it("is said in one line", async () => {
    const all = await said(({ method }) =>
      method === "eth_chainId" ? "0x1" : method === "eth_getBlockByNumber" ? HEAD : "0x0",
    );
    expect(all).toBe("node 1 (archive): block 24,406,906, 4 s old");
  });

  it("names what is not there", async () => {
    const little = await said(({ method, params }) => {
      if (method === "eth_chainId") return "0x1";
      if (method === "eth_getBlockByNumber") return params[0] === "latest" ? HEAD : null;
      return new RpcFailure(-32_000, "missing trie node");
    });
    expect(little).toBe(
      "node 1 (full, without calls by block hash, fee history, finalized blocks): block 24,406,906, 4 s old",
    );
  });

  it("is nothing where it is of another chain or does not answer", async () => {
    expect(await said(() => "0x89")).toBe("node 1: it is of Polygon");
    expect(await said(() => new RpcFailure(-32_000, "no"))).toBe("node 1: no (-32000)");
  });
});
