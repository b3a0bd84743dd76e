import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Receiver, startReceiver } from "../../support/receiver.ts";
import type { Anvil } from "./anvil.ts";
import { SpoilingNode } from "./proxy.ts";
import type { Uniswap } from "./uniswap.ts";

const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));

/** The built daemon as a process, on a node with a key in its URL, with Slack as its only channel. */
export class Daemon {
  output = "";
  #child: ChildProcess | null = null;

  private constructor(
    readonly node: SpoilingNode,
    readonly slack: Receiver,
    readonly folder: string,
    readonly uniswap: Uniswap,
  ) {}

  static async place(anvil: Anvil, uniswap: Uniswap): Promise<Daemon> {
    const node = await SpoilingNode.before(anvil.url);
    const slack = await startReceiver();
    const folder = await mkdtemp(join(tmpdir(), "tickwatch-node-"));
    return new Daemon(node, slack, folder, uniswap);
  }

  /** Starts it with these rules, and waits until it says that it watches. `usd`: tokens that are a dollar. */
  async start(rules: string, usd: readonly string[] = []): Promise<void> {
    const { contracts } = this.uniswap;
    const stable = usd.length === 0 ? "" : `, stable: [${usd.map((one) => `"${one}"`).join()}]`;
    await writeFile(
      join(this.folder, "config.yaml"),
      `service:
  rpc:
    chains:
      ethereum:
        urls: ["\${env:RPC}"]
        requests_per_second: 1000
        usd: {native: "${contracts.wrappedNative}"${stable}}
        contracts:
          pool_manager: "${contracts.poolManager}"
          position_manager: "${contracts.positionManager}"
          v3_factory: "${contracts.v3Factory}"
          v3_position_manager: "${contracts.v3PositionManager}"
rules: [rules.yaml]
group_wait: 0s
channels:
  lp-slack: {kind: slack, url: "\${env:SLACK_URL}"}
`,
    );
    await writeFile(join(this.folder, "rules.yaml"), rules);
    await this.again();
    await this.told(/Watching/);
  }

  /** Starts it on what is there, as after a kill. */
  async again(): Promise<void> {
    const SLACK_URL = `${this.slack.origin}/services/T0/B0/x`;
    const child = spawn(process.execPath, [MAIN, "run"], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, RPC: this.node.url, SLACK_URL },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const note = (chunk: Buffer): void => {
      this.output += chunk.toString();
    };
    child.stdout.on("data", note);
    child.stderr.on("data", note);
    this.#child = child;
  }

  /** What Slack was told that fits; the time (ms) until then since the call. */
  async told(fits: RegExp): Promise<number> {
    const begun = performance.now();
    await this.slack.first(({ body }) => fits.test(body));
    return performance.now() - begun;
  }

  /** What a command prints in its folder; rejects where its exit code is not 0. */
  async command(...args: readonly string[]): Promise<string> {
    const env = { PATH: process.env.PATH, RPC: this.node.url, SLACK_URL: this.slack.origin };
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], {
      cwd: this.folder,
      env,
    });
    return stdout;
  }

  countOf(fits: RegExp): number {
    return this.bodies().filter((body) => fits.test(body)).length;
  }

  bodies(): readonly string[] {
    return this.slack.received.map(({ body }) => body);
  }

  /** Ends it, as its operator would, or at once. */
  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await new Promise((resolve) => child.once("exit", resolve));
  }

  /** All that it wrote anywhere and told anybody. */
  async everything(): Promise<string> {
    const files = await readdir(this.folder);
    const stored = files.map((name) => readFile(join(this.folder, name), "latin1"));
    return [this.output, ...(await Promise.all(stored)), ...this.bodies()].join("\n");
  }

  async close(): Promise<void> {
    await this.stop("SIGKILL");
    await this.slack.close();
    await this.node.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
