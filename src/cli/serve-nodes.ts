import { systemClock } from "../base/clock.ts";
import { ChainDbError } from "../chain/db/open.ts";
import { RpcError } from "../chain/rpc/error-kind.ts";
import { NoContract } from "../chain/state/chain-state.ts";
import { createChainWorld } from "../chain/world.ts";
import type { RpcSettings } from "../model/index.ts";
import { DEMO_KEY } from "../serve/server.ts";
import { EXIT, type Io } from "./io.ts";
import { reportLine } from "./own-service.ts";
import { chainNames, RpcArgumentError, readRpcArgument } from "./rpc-argument.ts";
import { type ServeAt, serveWorld } from "./serve-world.ts";

/** `tickwatch serve --rpc`: answers from EVM nodes, in real time. The exit code, once it is to end. */
export async function serveNodes(
  options: ServeAt & { readonly rpc: string },
  io: Io,
): Promise<number> {
  let settings: RpcSettings;
  try {
    settings = await readRpcArgument(options.rpc, io);
  } catch (error) {
    if (!(error instanceof RpcArgumentError)) throw error;
    io.err(`tickwatch: ${error.message}\n`);
    return error.exit;
  }
  const clock = systemClock();
  const world = createChainWorld({
    settings,
    clock,
    report: (level, message, fields) => {
      if (level !== "warn") return;
      io.err(`warning: ${reportLine(message, fields)}\n`);
    },
  });
  try {
    await Promise.all([...world.chains.values()].map((chain) => chain.open()));
    await world.follow();
  } catch (error) {
    await world.close();
    if (error instanceof NoContract || error instanceof ChainDbError) {
      io.err(`tickwatch: ${error.message}\n`);
      return EXIT.usage;
    }
    if (!(error instanceof RpcError)) throw error;
    io.err(`tickwatch: ${error.message}\n`);
    return EXIT.unreachable;
  }
  const chains = [...world.chains.values()];
  const lines = (await Promise.all(chains.map((chain) => chain.nodeLines()))).flat();
  const apiKey = io.env.TICKWATCH_API_KEY ?? DEMO_KEY;
  try {
    return await serveWorld({ ...options, world, clock, apiKey, faults: [] }, io, (url) =>
      [
        `Serving ${chainNames(settings)}. Ctrl-C stops it.`,
        ...lines,
        "",
        `base_url: ${url}`,
        `legacy_base_url: ${url}`,
        apiKey === DEMO_KEY ? `api_key: ${apiKey}` : "api_key: what TICKWATCH_API_KEY holds",
        "",
        "",
      ].join("\n"),
    );
  } finally {
    await world.close();
  }
}
