/** Which ports an address cannot mean. The address itself may be a secret: only scheme and port are told. */

/**
 * Ports of other protocols to which fetch connects never. Source: the fetch standard, "bad port"
 * (fetch.spec.whatwg.org/#port-blocking), as undici has it; test/base/network-ports.test.ts asks undici.
 */
const BLOCKED: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10_080,
]);

/** Why nothing can be reached at the port of a URL; null: something may. */
export function portTrouble({ port }: URL): string | null {
  return port === "0" ? "nothing can listen on port 0" : null;
}

/** The same for what is asked with fetch: channels and the heartbeat. */
export function fetchPortTrouble(url: URL): string | null {
  if (!BLOCKED.has(Number(url.port))) return portTrouble(url);
  return `port ${url.port} belongs to another protocol, and HTTP clients never connect to it`;
}

/** What a scheme and a port say that do not go together, and what would. */
export interface OddPair {
  readonly message: string;
  readonly expected: string;
}

/** Where the servers at a well-known port do not speak as the scheme says. */
const PAIRS: Readonly<Record<string, OddPair>> = {
  "smtps:25": startsInTheClear(25),
  "smtps:587": startsInTheClear(587),
  "smtp:465": {
    message: "port 465 wants TLS from the first byte, and smtp:// begins in the clear",
    expected: "smtps:// at 465, or smtp:// at 587",
  },
  "https:80": { message: "port 80 speaks http, not https", expected: "https:// at 443" },
  "http:443": { message: "port 443 speaks https, not http", expected: "https:// at 443" },
};

function startsInTheClear(port: number): OddPair {
  return {
    message: `port ${port} begins in the clear, and smtps:// wants TLS from the first byte`,
    expected: `smtp:// at ${port}, or smtps:// at 465`,
  };
}

/** Null: they go together, or it is no URL. */
export function oddPair(address: string): OddPair | null {
  if (!URL.canParse(address)) return null;
  const { protocol, port } = new URL(address);
  return PAIRS[`${protocol}${port}`] ?? null;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Whether a host is this machine, as a name or an address; IPv6 with or without its brackets. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

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
const NOT_PROXIED = ["localhost", "127.0.0.1", "[::1]"];

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
  const noProxy = without.includes("*") ? "*" : [...without, ...NOT_PROXIED].join(",");
  return { httpProxy, httpsProxy, noProxy };
}

/** A host and a port alone are an address as well. */
function addressOf(text = ""): string {
  const trimmed = text.trim();
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  return trimmed !== "" && URL.canParse(url) && /^https?:/i.test(url) ? url : "";
}
