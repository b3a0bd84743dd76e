import { type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { type EndpointName, type EndpointSpec, KEY_PARAMETER } from "../api/endpoints.ts";
import { type Proxies, proxiesFrom } from "../base/proxy.ts";
import type { Secret } from "../base/secret.ts";
import { specOf } from "./endpoint.ts";

/** The service's addresses: origin and optional path each; null: it has no such one. */
export type Bases = Readonly<Record<EndpointSpec["base"], string | null>>;

/** Where to send a request: to which origin, over which connections, and what precedes the endpoint's path. */
export interface Target {
  readonly origin: string;
  readonly pool: Dispatcher;
  readonly prefix: string;
}

/** The connections to each origin of the service; addresses that share an origin share them. */
export class Origins {
  readonly #pools = new Map<string, Dispatcher>();
  readonly #targets = new Map<EndpointSpec["base"], Target>();

  /** Throws TypeError when an address is no URL. */
  constructor(bases: Bases, connections: number, timeoutMs: number) {
    const proxies = proxiesFrom(process.env);
    for (const base of ["base_url", "legacy_base_url", "rpc"] as const) {
      const address = bases[base];
      if (address === null) continue;
      const { origin, pathname } = new URL(address);
      let pool = this.#pools.get(origin);
      if (pool === undefined) {
        pool = poolOf(origin, connections, timeoutMs, proxies);
        this.#pools.set(origin, pool);
      }
      this.#targets.set(base, { origin, pool, prefix: pathname.replace(/\/+$/, "") });
    }
  }

  /** Undefined: the endpoint's address is not known. */
  find(endpoint: EndpointName): Target | undefined {
    return this.#targets.get(specOf(endpoint).base);
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#pools.values(), (pool) => pool.destroy()));
  }
}

/** Connections to an origin, through a proxy if the environment has one for it. */
function poolOf(
  origin: string,
  connections: number,
  timeoutMs: number,
  proxies: Proxies | null,
): Dispatcher {
  const options = { connections, pipelining: 1, connect: { timeout: timeoutMs } };
  if (proxies === null) return new Pool(origin, options);
  // A proxy is told what to ask for over plain HTTP, and connects to what is asked over TLS.
  return new EnvHttpProxyAgent({ ...options, ...proxies, proxyTunnel: false });
}

/**
 * The path with the key in it if the endpoint is of the earlier family. It is a secret, and made for
 * nothing but the sending.
 */
export function withKey(endpoint: EndpointName, path: string, key: Secret): string {
  if (specOf(endpoint).family !== "earlier") return path;
  const joint = path.includes("?") ? "&" : "?";
  return `${path}${joint}${KEY_PARAMETER}=${encodeURIComponent(key.reveal())}`;
}
