import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApp } from "../app.ts";
import { chainName } from "../base/chains.ts";
import { systemClock } from "../base/clock.ts";
import { createLogger } from "../base/log.ts";
import { countOf } from "../base/text.ts";
import type { Venue } from "../chain/prices/venues.ts";
import { RpcError } from "../chain/rpc/error-kind.ts";
import { createChainWorld } from "../chain/world.ts";
import type { RpcSettings } from "../model/index.ts";
import { EXIT, type Io, untilStopped, writer } from "./io.ts";
import { OwnService } from "./own-service.ts";
import { subjectCount } from "./report.ts";
import { RpcArgumentError, settingsOfUrl } from "./rpc-argument.ts";
import { readSetup, secretsOf } from "./setup.ts";

export interface DemoNodesOptions {
  /** `env:NAME`, or a URL without a key. */
  readonly rpc: string;
  /** Real milliseconds. */
  readonly for?: number;
}

/** `tickwatch demo --rpc`: gas and the deepest pools of a node's chain, in real time. The exit code. */
export async function demoNodes(options: DemoNodesOptions, io: Io): Promise<number> {
  try {
    return await watchChain(options, io);
  } catch (error) {
    if (!(error instanceof RpcArgumentError) && !(error instanceof RpcError)) throw error;
    io.err(`tickwatch: ${error.message}\n`);
    return error instanceof RpcArgumentError ? error.exit : EXIT.unreachable;
  }
}

async function watchChain(options: DemoNodesOptions, io: Io): Promise<number> {
  const settings = await settingsOfUrl(options.rpc, io);
  const [[chainId, chain] = []] = settings.chains;
  if (chainId === undefined || chain === undefined) throw new RpcArgumentError(2, "no chain");
  const venues = await deepest(settings, chainId);
  const folder = await mkdtemp(join(tmpdir(), "tickwatch-demo-"));
  try {
    const config = join(folder, "config.yaml");
    await writeFile(config, configOf(chainId));
    await writeFile(join(folder, "rules.yaml"), rulesOf(chainId, venues));
    const env = { DEMO_RPC: chain.urls[0]?.reveal() ?? "" };
    return await runDemo(config, env, chainName(chainId), options.for, io);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The deepest pools of the native token with a stablecoin, or of wrapped native alone; rejects with RpcError. */
async function deepest(settings: RpcSettings, chainId: number): Promise<readonly Venue[]> {
  const world = createChainWorld({ settings, clock: systemClock(), report: () => {} });
  try {
    const parts = await world.chains.get(chainId)?.open();
    let found: readonly Venue[] = [];
    await parts?.snapshots.ask("demo", async (reader) => {
      found = await parts.nativeVenues(reader);
    });
    return found;
  } finally {
    await world.close();
  }
}

async function runDemo(
  config: string,
  env: Readonly<Record<string, string>>,
  chain: string,
  ms: number | undefined,
  io: Io,
): Promise<number> {
  const { setup: read } = await readSetup(config, { env });
  const log = createLogger({
    level: "warn",
    stream: { write: writer(io.err) },
    pretty: true,
    colours: io.errColours,
    secrets: secretsOf(read),
  });
  const own = new OwnService((level, message, fields) => log[level](fields, message));
  const stop = io.stop();
  try {
    const setup = await own.serve(read);
    const names = setup.rules.map(({ name }) => name).join(", ");
    io.out(
      [
        `Watching ${countOf(subjectCount(setup), "subject")} of ${chain} in real time: ${names}. Ctrl-C stops it.`,
        "A first notice says what is watched; others come when gas or a price moves.",
        "",
        "",
      ].join("\n"),
    );
    const app = await startApp({ setup, log, print: io.out, colours: io.colours, stop });
    await untilStopped(AbortSignal.any([stop, io.unread]), ms);
    await app.stop();
    return EXIT.fine;
  } finally {
    await own.close();
  }
}

function configOf(chainId: number): string {
  return `service:
  rpc: {chains: {${chainId}: {urls: ["\${env:DEMO_RPC}"]}}}
rules: [rules.yaml]
group_wait: 0s
channels: {terminal: {kind: console}}
`;
}

/** Limits that a busy chain reaches within minutes. */
function rulesOf(chainId: number, venues: readonly Venue[]): string {
  const watchOf = (kind: string, targets: string): string =>
    `{kind: ${kind}, chain: ${chainId}${targets}}`;
  const rule = (name: string, watch: string, when: string): string =>
    `  - name: ${name}\n    schedule: 15s\n    watch: ${watch}\n    when: ${when}\n`;
  const pools = (version: Venue["version"]): string =>
    venues
      .filter((one) => one.version === version)
      .map(({ pool }) => `"${pool}"`)
      .join(", ");
  const moves = "{metric: price0, moves: 0.05%, within: 10m}";
  const [v3, v4] = [pools("v3"), pools("v4")];
  return [
    "rules:\n",
    rule("gas", watchOf("gas", ""), "{metric: tip_top10, moves: 5%, within: 1h}"),
    v4 === "" ? "" : rule("price-v4", watchOf("v4_pool", `, pools: [${v4}]`), moves),
    v3 === ""
      ? ""
      : rule("price-v3", watchOf("v3_pool", `, pools: [${v3}]`), moves.replace("price0", "price")),
  ].join("");
}
