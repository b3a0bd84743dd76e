import { afterEach, describe, expect, it } from "vitest";
import { Secret } from "../../../src/base/text.ts";
import { RpcError } from "../../../src/chain/rpc/error-kind.ts";
import { RpcNode } from "../../../src/chain/rpc/node.ts";
import { Nodes } from "../../../src/chain/rpc/nodes.ts";
import { answering, RpcFailure, ScriptedNode, send } from "./scripted-node.ts";

const ended: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

const KEY = "k3y-0123456789abcdef0123456789";

async function nodeOf(
  script: Parameters<typeof ScriptedNode.start>[0],
  name = "node 1",
): Promise<{ node: RpcNode; server: ScriptedNode }> {
  const server = await ScriptedNode.start(script, `/v2/${KEY}`);
  const url = new Secret(server.url);
  const node = new RpcNode({ url, name, requestsPerSecond: 1_000, timeoutMs: 60_000 });
  ended.push(() => node.close(), server.close);
  return { node, server };
}

const ask = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ method: "eth_call", params: [i] }));

async function failure(promise: Promise<unknown>): Promise<RpcError> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof RpcError) return error;
  throw new Error("it did not fail as a node does");
}

describe("a node", () => {
  it("answers each call of a batch by its id, in whatever order they come", async () => {
    const { node, server } = await nodeOf((calls, response) => {
      send(
        response,
        200,
        calls.toReversed().map(({ id, params }) => ({ jsonrpc: "2.0", id, result: params[0] })),
      );
    });
    const results = await node.batch(ask(250));
    expect(results.map((result) => result.ok && result.value)).toEqual(
      Array.from({ length: 250 }, (_, i) => i),
    );
    expect(server.requests.map((calls) => calls.length)).toEqual([100, 100, 50]);
  });

  it("goes on at the pace that it is set to, also with what waits", async () => {
    const { node, server } = await nodeOf(answering(({ params }) => params[0]));
    // One in a thousand seconds.
    node.pace(0.001);
    const all = ask(10).map(({ method, params }) => node.call(method, params));
    expect(await Promise.race(all)).toBe(0);
    expect(node.sent.requests).toBe(1);
    node.pace(100);
    expect(await Promise.all(all)).toEqual(Array.from({ length: 10 }, (_, i) => i));
    expect(server.requests).toHaveLength(10);
  });

  it("sends no request of more than a million bytes, which nodes drop, unless one call is as long", async () => {
    const { node, server } = await nodeOf(answering(({ params }) => String(params[0]).length));
    const lengths = [400_000, 400_000, 400_000, 2_000_000, 10, 20];
    const results = await node.batch(
      lengths.map((length) => ({ method: "eth_call", params: ["a".repeat(length)] })),
    );
    expect(results.map((result) => result.ok && result.value)).toEqual(lengths);
    expect(server.requests.map((calls) => calls.length)).toEqual([2, 1, 1, 2]);
  });

  it("loses only the calls whose ids are missing, doubled or strange", async () => {
    const { node } = await nodeOf((calls, response) => {
      const [a, b, c] = calls;
      const reply = (id: unknown) => ({ jsonrpc: "2.0", id, result: id });
      send(response, 200, [reply(a?.id), reply(b?.id), reply(b?.id), reply("x"), null, reply(99)]);
      expect(c).toBeDefined();
    });
    const results = await node.batch(ask(3));
    expect(results.map(({ ok }) => ok)).toEqual([true, false, false]);
  });

  it("asks in halves where a batch is refused as too large", async () => {
    const { node, server } = await nodeOf((calls, response, isBatch) => {
      if (calls.length > 30) {
        send(response, 413, "too large");
        return;
      }
      answering(({ params }) => params[0])(calls, response, isBatch);
    });
    const results = await node.batch(ask(100));
    expect(results.filter(({ ok }) => ok)).toHaveLength(100);
    expect(server.requests.map((calls) => calls.length)).toEqual([100, 50, 25, 25, 25, 25]);
  });

  it("asks one by one where it knows no batches", async () => {
    const { node } = await nodeOf((calls, response, isBatch) => {
      const error = { code: -32_600, message: "batch requests are not supported" };
      if (isBatch) send(response, 200, { jsonrpc: "2.0", id: null, error });
      else answering(({ params }) => params[0])(calls, response, isBatch);
    });
    expect((await node.batch(ask(5))).every(({ ok }) => ok)).toBe(true);
  });

  it.each<[string, (response: Parameters<typeof send>[0]) => void, string]>([
    ["a page", (response) => send(response, 200, "<html>maintenance</html>"), "unreachable"],
    ["a 502", (response) => send(response, 502, "bad gateway"), "unreachable"],
    [
      "half an answer",
      (response) => send(response, 200, '{"jsonrpc":"2.0","id":1,"res'),
      "malformed",
    ],
    ["a 403", (response) => send(response, 403, "no"), "unauthorized"],
    ["a cut connection", (response) => response.destroy(), "unreachable"],
  ])("fails where %s comes", async (_, script, kind) => {
    const { node } = await nodeOf((_calls, response) => script(response));
    expect((await failure(node.call("eth_chainId", []))).kind).toBe(kind);
  });

  it("reads no more than 16 MB", async () => {
    const { node } = await nodeOf((_, response) => {
      response.writeHead(200);
      const chunk = "x".repeat(1_000_000);
      for (let i = 0; i < 20; i += 1) response.write(chunk);
      response.end();
    });
    expect((await failure(node.call("eth_getLogs", []))).kind).toBe("too_much");
  });

  it("says when to come back", async () => {
    const { node } = await nodeOf((_, response) => {
      send(response, 429, "slow down", { "retry-after": "7" });
    });
    const error = await failure(node.call("eth_chainId", []));
    expect([error.kind, error.retryAfterMs]).toEqual(["rate_limited", 7_000]);
  });

  it("tells nothing of its URL, whatever it says itself", async () => {
    const { node, server } = await nodeOf((calls, response, isBatch) => {
      const { host } = new URL(server.url);
      const words = `no access to ${host} with ${KEY}, ${encodeURIComponent(`/v2/${KEY}`)}`;
      answering(() => new RpcFailure(-32_000, `${words}\u0007\n${KEY.toUpperCase()}`))(
        calls,
        response,
        isBatch,
      );
    });
    const { message } = await failure(node.call("eth_chainId", []));
    expect(message.toLowerCase()).not.toContain(KEY.slice(0, 8));
    expect(message).not.toContain(new URL(server.url).host);
    expect(message).not.toMatch(/\p{Cc}/u);
    expect(message.startsWith("node 1: ")).toBe(true);
  });
});

describe("several nodes", () => {
  const chain = (id: number) =>
    answering(({ method }) => (method === "eth_chainId" ? `0x${id.toString(16)}` : "0x1"));

  async function nodesOf(...scripts: readonly Parameters<typeof ScriptedNode.start>[0][]) {
    let now = 0;
    const made = [];
    for (const [i, script] of scripts.entries()) made.push(await nodeOf(script, `node ${i + 1}`));
    const reports: string[] = [];
    const nodes = new Nodes({
      chainId: 1,
      nodes: made.map(({ node }) => node),
      report: (level, message, { node, kind = "" }) => {
        reports.push(`${level} ${message} ${node} ${kind}`.trim());
      },
      now: () => now,
    });
    const pass = (ms: number): void => {
      now += ms;
    };
    return { nodes, servers: made.map(({ server }) => server), reports, pass };
  }

  it("are asked in their order, the next where one fails, which then rests", async () => {
    let isDown = true;
    const { nodes, servers, reports, pass } = await nodesOf((calls, response, isBatch) => {
      if (isDown) send(response, 503, "down");
      else chain(1)(calls, response, isBatch);
    }, chain(1));
    expect(await nodes.call("eth_blockNumber", [])).toBe("0x1");
    expect(await nodes.call("eth_blockNumber", [])).toBe("0x1");
    expect(servers[0]?.requests).toHaveLength(1);
    isDown = false;
    pass(1_000);
    await nodes.call("eth_blockNumber", []);
    expect(servers[0]?.requests).toHaveLength(3);
    expect(reports).toEqual([
      "warn a node does not answer node 1 unreachable",
      "info a node answers again node 1",
    ]);
  });

  it("are asked nothing of another chain", async () => {
    const { nodes, servers, reports } = await nodesOf(chain(5), chain(1));
    expect(await nodes.call("eth_blockNumber", [])).toBe("0x1");
    expect(servers[0]?.requests.flat().map(({ method }) => method)).toEqual(["eth_chainId"]);
    expect(reports).toEqual(["warn a node does not answer node 1 wrong_chain"]);
  });

  it("are not asked again for what the contract refuses", async () => {
    const revert = answering(({ method }) =>
      method === "eth_chainId" ? "0x1" : new RpcFailure(3, "execution reverted"),
    );
    const { nodes, servers } = await nodesOf(revert, chain(1));
    expect((await failure(nodes.call("eth_call", []))).kind).toBe("reverted");
    expect(servers[1]?.requests).toEqual([]);
  });

  it("are tried once more, one of them, where all rest", async () => {
    const down = (_: unknown, response: Parameters<typeof send>[0]): void =>
      send(response, 503, "down");
    const { nodes, servers } = await nodesOf(down, down);
    await failure(nodes.call("eth_blockNumber", []));
    expect((await failure(nodes.call("eth_blockNumber", []))).kind).toBe("unreachable");
    expect(servers.map(({ requests }) => requests.length)).toEqual([2, 1]);
  });
});
