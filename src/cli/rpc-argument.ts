import { chainName } from "../base/chains.ts";
import { cleanText, Secret } from "../base/text.ts";
import { RpcError } from "../chain/rpc/error-kind.ts";
import { chainIdOf, RpcNode } from "../chain/rpc/node.ts";
import { loadNodes } from "../config/settings/read-nodes.ts";
import { RPC_DEFAULTS } from "../config/settings/rpc-keys.ts";
import type { RpcSettings } from "../model/index.ts";
import type { Io } from "./io.ts";

/** Why what stands after `--rpc` cannot be used, and with which exit code the command ends. */
export class RpcArgumentError extends Error {
  override readonly name = "RpcArgumentError";
  constructor(
    readonly exit: 2 | 3,
    message: string,
  ) {
    super(message);
  }
}

/** A part of a path that is longer is a key. */
const LONGEST_STEP = 16;

/**
 * What stands after `--rpc`: `env:NAME` or a plain URL, whose node is asked for its chain, or a configuration
 * with `service.rpc`. Throws RpcArgumentError and ConfigError.
 */
export async function readRpcArgument(
  argument: string,
  { env }: Pick<Io, "env">,
): Promise<RpcSettings> {
  if (/^(?:env:|[a-z]+:\/\/)/i.test(argument)) return await settingsOfUrl(argument, { env });
  const settings = await loadNodes(argument, env);
  if (settings !== null) return settings;
  throw new RpcArgumentError(2, `${cleanText(argument, 60)} has no service.rpc`);
}

/** The settings of one node, which is asked for its chain. Throws RpcArgumentError. */
export async function settingsOfUrl(
  argument: string,
  { env }: Pick<Io, "env">,
): Promise<RpcSettings> {
  const url = urlOf(argument, env);
  const chainId = await chainOf(url);
  return { data: null, chains: new Map([[chainId, { ...RPC_DEFAULTS, urls: [url] }]]) };
}

function urlOf(argument: string, env: Io["env"]): Secret {
  const name = /^env:(.*)$/s.exec(argument)?.[1];
  if (name !== undefined) {
    const text = env[name]?.trim() ?? "";
    if (text === "") {
      throw new RpcArgumentError(2, `the environment variable ${cleanText(name, 60)} is not set`);
    }
    if (!isHttp(text)) {
      throw new RpcArgumentError(
        2,
        `the environment variable ${name} is no http:// or https:// URL`,
      );
    }
    return new Secret(text);
  }
  if (!isHttp(argument)) {
    throw new RpcArgumentError(2, "--rpc takes env:NAME, a configuration file, or an http:// URL");
  }
  const { username, password, search, pathname } = new URL(argument);
  const hasKey = pathname.split("/").some((step) => step.length > LONGEST_STEP);
  if (username !== "" || password !== "" || search !== "" || hasKey) {
    const advice = "put it into an environment variable: RPC=… tickwatch serve --rpc env:RPC";
    throw new RpcArgumentError(2, `a URL with a key does not belong on a command line; ${advice}`);
  }
  return new Secret(argument);
}

function isHttp(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

async function chainOf(url: Secret): Promise<number> {
  const { requestsPerSecond, timeoutMs } = RPC_DEFAULTS;
  const node = new RpcNode({ url, name: "the node", requestsPerSecond, timeoutMs });
  try {
    return await chainIdOf(node);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw new RpcArgumentError(3, error.message);
  } finally {
    await node.close();
  }
}

/** `Ethereum, Base`. */
export function chainNames({ chains }: RpcSettings): string {
  return [...chains.keys()].map(chainName).join(", ");
}
