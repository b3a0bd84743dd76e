/** The proxies of the environment, as the HTTP client takes them. Their addresses may hold a password. */
export interface Proxies {
  /** Empty: none. */
  readonly httpProxy: string;
  readonly httpsProxy: string;
  /** Hosts that are asked without one. */
  readonly noProxy: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** This machine is never behind a proxy. */
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/**
 * What HTTP_PROXY, HTTPS_PROXY and NO_PROXY say, in small letters before capital ones, for everything that
 * leaves over HTTP. Without HTTPS_PROXY the other one is for both. Null: there is none. What is no address
 * is as if it were not there.
 */
export function proxiesFrom(env: Environment): Proxies | null {
  const httpProxy = addressOf(env.http_proxy ?? env.HTTP_PROXY);
  const httpsProxy = addressOf(env.https_proxy ?? env.HTTPS_PROXY) || httpProxy;
  if (httpProxy === "" && httpsProxy === "") return null;
  const without = (env.no_proxy ?? env.NO_PROXY ?? "").split(/[,\s]+/).filter((one) => one !== "");
  const noProxy = without.includes("*") ? "*" : [...without, ...LOOPBACK].join(",");
  return { httpProxy, httpsProxy, noProxy };
}

/** A host and a port alone are an address as well. */
function addressOf(text = ""): string {
  const trimmed = text.trim();
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  return trimmed !== "" && URL.canParse(url) && /^https?:/i.test(url) ? url : "";
}
