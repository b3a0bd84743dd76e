import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where `npm ci --prefix test/node` puts it. */
const BINARY = fileURLToPath(
  new URL(
    "../../../test/node/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil",
    import.meta.url,
  ),
);
/** The first account that anvil unlocks. */
export const ACCOUNT = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

/** A local EVM node in a process of its own, whose work is not counted. */
export interface LocalNode {
  readonly url: string;
  rpc(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /**
   * Sends a transaction and waits until it is in a block; null: to make a contract, whose address it resolves
   * to. Rejects where it failed.
   */
  send(to: string | null, data: string, gas: number): Promise<string | null>;
  /** Sends many, which go into as few blocks as hold them. Rejects where one failed. */
  sendAll(
    calls: readonly { readonly to: string; readonly data: string }[],
    gas: number,
  ): Promise<void>;
  stop(): void;
}

/** Starts anvil, as chain 1. Throws where it is not installed. */
export async function startAnvil(...options: readonly string[]): Promise<LocalNode> {
  if (!existsSync(BINARY)) {
    throw new Error("anvil is not installed: npm ci --prefix test/node --ignore-scripts");
  }
  const port = await freePort();
  // The states of old blocks, which it leaves behind whatever ends it.
  const states = mkdtempSync(join(tmpdir(), "tickwatch-anvil-"));
  const fixed = ["--port", String(port), "--chain-id", "1", "--silent", "--cache-path", states];
  const child = spawn(BINARY, [...fixed, ...options], { stdio: "ignore" });
  child.once("exit", () => rmSync(states, { recursive: true, force: true }));
  const url = `http://127.0.0.1:${port}`;
  const rpc = (method: string, ...params: readonly unknown[]): Promise<unknown> =>
    ask(url, method, params);
  await answering(rpc, child);
  return {
    url,
    rpc,
    async send(to, data, gas) {
      const hash = await rpc("eth_sendTransaction", transactionOf(to, data, gas));
      return (await receiptOf(rpc, hash)).contractAddress;
    },
    async sendAll(calls, gas) {
      await rpc("evm_setAutomine", false);
      const hashes: unknown[] = [];
      for (const { to, data } of calls) {
        hashes.push(await rpc("eth_sendTransaction", transactionOf(to, data, gas)));
        if (hashes.length % A_BLOCK === 0) await rpc("evm_mine");
      }
      await rpc("evm_mine");
      await rpc("evm_setAutomine", true);
      for (const hash of hashes) await receiptOf(rpc, hash);
    },
    stop: () => void child.kill(),
  };
}

/** Transactions that are mined together. */
const A_BLOCK = 25;

function transactionOf(to: string | null, data: string, gas: number): unknown {
  return { from: ACCOUNT, ...(to === null ? {} : { to }), data, gas: `0x${gas.toString(16)}` };
}

interface Receipt {
  readonly status: string;
  readonly contractAddress: string | null;
}

async function receiptOf(rpc: LocalNode["rpc"], hash: unknown): Promise<Receipt> {
  for (;;) {
    const receipt = (await rpc("eth_getTransactionReceipt", hash)) as Receipt | null;
    if (receipt === null) continue;
    if (receipt.status !== "0x1") throw new Error(`transaction ${String(hash)} failed`);
    return receipt;
  }
}

async function answering(rpc: LocalNode["rpc"], child: ChildProcess): Promise<void> {
  const until = performance.now() + 20_000;
  for (;;) {
    try {
      await rpc("eth_chainId");
      return;
    } catch (error) {
      if (performance.now() > until || child.exitCode !== null) throw error;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

async function ask(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
  });
}
