import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from "viem";
import { freePort } from "../../support/free-port.ts";
import { until } from "../../support/until.ts";
import { packageFile } from "./packages.ts";

const BINARY = packageFile("@foundry-rs/anvil-linux-amd64", "bin/anvil");
/** The first of the accounts that anvil unlocks. */
export const ACCOUNT = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const GAS = "0x1c00000";

interface Receipt {
  readonly status: Hex;
  readonly contractAddress: Hex | null;
  readonly blockNumber: Hex;
  readonly logs: readonly { readonly address: Hex; readonly topics: readonly Hex[] }[];
}

/** A whole EVM node, alone on its port. Blocks come when something is sent, and when they are asked for. */
export class Anvil {
  readonly url: string;
  readonly #process: ChildProcess;
  /** Where it puts the states of old blocks. It leaves them there whatever ends it. */
  readonly #states: string;
  #id = 0;

  private constructor(url: string, process: ChildProcess, states: string) {
    this.url = url;
    this.#process = process;
    this.#states = states;
  }

  static async start(...more: readonly string[]): Promise<Anvil> {
    const port = await freePort();
    const states = await mkdtemp(join(tmpdir(), "tickwatch-anvil-"));
    const fixed = ["--port", String(port), "--slots-in-an-epoch", "1", "--silent"];
    const options = [...fixed, "--cache-path", states, ...more];
    const child = spawn(BINARY, options, { stdio: "ignore" });
    const anvil = new Anvil(`http://127.0.0.1:${port}`, child, states);
    await anvil.#ready();
    return anvil;
  }

  async rpc<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    this.#id += 1;
    const body = JSON.stringify({ jsonrpc: "2.0", id: this.#id, method, params });
    const headers = { "content-type": "application/json" };
    const response = await fetch(this.url, { method: "POST", headers, body });
    const answer = (await response.json()) as { result: T; error?: { message: string } };
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  }

  /** Sends a transaction and waits for its block. */
  async send(to: Hex | null, data: Hex, value = 0n, from: string = ACCOUNT): Promise<Receipt> {
    const transaction = {
      from,
      ...(to === null ? {} : { to }),
      data,
      gas: GAS,
      value: `0x${value.toString(16)}`,
    };
    const hash = await this.rpc<Hex>("eth_sendTransaction", [transaction]);
    for (;;) {
      const receipt = await this.rpc<Receipt | null>("eth_getTransactionReceipt", [hash]);
      if (receipt === null) continue;
      if (receipt.status !== "0x1") throw new Error(`a transaction to ${to ?? "nobody"} failed`);
      return receipt;
    }
  }

  async deploy(abi: Abi, bytecode: Hex, args: readonly unknown[] = []): Promise<Hex> {
    const { contractAddress } = await this.send(null, encodeDeployData({ abi, bytecode, args }));
    if (contractAddress === null) throw new Error("nothing was deployed");
    return contractAddress.toLowerCase() as Hex;
  }

  write(
    to: Hex,
    abi: Abi,
    functionName: string,
    args: readonly unknown[],
    value = 0n,
  ): Promise<Receipt> {
    return this.send(to, encodeFunctionData({ abi, functionName, args }), value);
  }

  async mine(blocks = 1, secondsApart = 12): Promise<void> {
    await this.rpc("anvil_mine", [`0x${blocks.toString(16)}`, `0x${secondsApart.toString(16)}`]);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGKILL");
    await ended;
    await rm(this.#states, { recursive: true, force: true });
  }

  async #ready(): Promise<void> {
    const answers = (): Promise<boolean> =>
      this.rpc("eth_chainId").then(
        () => true,
        () => false,
      );
    await until(answers, () => "anvil does not answer");
  }
}
