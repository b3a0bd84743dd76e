import { chainName } from "../../base/chains.ts";
import { systemClock } from "../../base/clock.ts";
import { formatDuration, MINUTE, SECOND } from "../../base/duration.ts";
import { isLoopback, proxiesFrom } from "../../base/network.ts";
import { Secret } from "../../base/text.ts";
import { createHttpSource } from "../../fetch/http.ts";
import type { Setup } from "../../model/index.ts";
import { EXIT, type Io } from "../io.ts";
import { type Finding, failed, fine, skipped, warning } from "./finding.ts";
import { clockAhead, reach } from "./reach.ts";

/** A clock that is further off tells wrong times, and windows and silences end at other ones than meant. */
const CLOCK_MS = 5 * SECOND;

/** The service: each address, its clock, and the key. */
export async function lookAtService(
  { service }: Setup,
  io: Pick<Io, "env">,
): Promise<readonly Finding[]> {
  const { baseUrl, legacyBaseUrl, rpc = null } = service;
  if (rpc !== null) {
    const nodes = [...rpc.chains].flatMap(([chainId, { urls }]) =>
      urls.map((url, index) => ({
        what: `node ${index + 1} of ${chainName(chainId)}`,
        url: new URL(url.reveal()),
      })),
    );
    return await Promise.all(nodes.map(({ what, url }) => lookAt(what, url, io)));
  }
  const found: Finding[] = [];
  for (const [key, address] of [
    ["base_url", baseUrl],
    ["legacy_base_url", legacyBaseUrl],
  ] as const) {
    if (address !== null) found.push(await lookAt(`service.${key}`, new URL(address), io));
  }
  const any = new URL(baseUrl ?? legacyBaseUrl ?? "");
  if (isDirect(any, io)) found.push(await lookAtClock(any));
  if (baseUrl !== null) found.push(await lookAtKey(service));
  return found;
}

async function lookAtClock(url: URL): Promise<Finding> {
  const ahead = await clockAhead(url, () => systemClock().now());
  if (ahead === null) return skipped("clock", "the service does not tell its time");
  const off = formatDuration(Math.round(Math.abs(ahead) / SECOND) * SECOND);
  if (Math.abs(ahead) <= CLOCK_MS) return fine("clock", "as the service's");
  const says = `this machine's clock is ${off} ${ahead > 0 ? "behind" : "ahead of"} the service's: set it with NTP`;
  return Math.abs(ahead) > MINUTE ? failed("clock", says) : warning("clock", says);
}

async function lookAtKey(service: Setup["service"]): Promise<Finding> {
  const source = createHttpSource({ ...service, log: () => {} });
  try {
    const verdict = await source.verify(AbortSignal.timeout(service.timeoutMs));
    if (verdict === "valid") return fine("api key", "the service accepts it");
    return verdict === "invalid"
      ? failed("api key", "the service rejects it: see service.api_key", EXIT.unreachable)
      : failed("api key", `the service could not check it: ${verdict.detail}`, EXIT.unreachable);
  } finally {
    await source.close();
  }
}

/** Every channel, and the monitor of the heartbeat, without a message to them. */
export async function lookAtChannels(
  { channels, heartbeat }: Setup,
  io: Pick<Io, "env">,
): Promise<readonly Finding[]> {
  const found = await Promise.all(
    channels.map(async ({ name, kind, settings }): Promise<Finding> => {
      const what = `channel ${name}`;
      const url = addressIn(settings);
      if (kind === "console") return fine(what, "prints where the daemon runs");
      return url === null
        ? skipped(what, "it has no address to reach")
        : await lookAt(what, url, io);
    }),
  );
  if (heartbeat === null) return found;
  return [...found, await lookAt("heartbeat", new URL(heartbeat.url.reveal()), io)];
}

/** What is said of it never names the address: it may be a secret. */
async function lookAt(what: string, url: URL, io: Pick<Io, "env">): Promise<Finding> {
  if (!isDirect(url, io)) {
    const proxy = proxyFor(url, io);
    const reached = proxy === null ? null : await reach(proxy);
    return reached?.ok === false
      ? failed(what, `the proxy: ${reached.says}`, EXIT.unreachable)
      : skipped(what, "goes through a proxy, which answers: what is behind it was not looked at");
  }
  const reached = await reach(url);
  if (!reached.ok) return failed(what, reached.says, EXIT.unreachable);
  return reached.doubtful ? warning(what, reached.says) : fine(what, reached.says);
}

/** Mail never goes through a proxy, and nothing on this machine does. */
function isDirect(url: URL, io: Pick<Io, "env">): boolean {
  if (!url.protocol.startsWith("http") || isLoopback(url.hostname)) return true;
  const proxies = proxiesFrom(io.env);
  if (proxies === null || proxies.noProxy === "*") return true;
  const host = url.hostname.toLowerCase();
  const bypass = proxies.noProxy.toLowerCase().split(",");
  return bypass.some((one) => {
    const name = one.replace(/:\d+$/, "").replace(/^[*.]+/, "");
    return name !== "" && (host === name || host.endsWith(`.${name}`));
  });
}

function proxyFor(url: URL, io: Pick<Io, "env">): URL | null {
  const proxies = proxiesFrom(io.env);
  const address = url.protocol === "https:" ? proxies?.httpsProxy : proxies?.httpProxy;
  return address === undefined || address === "" ? null : new URL(address);
}

/** The keys under which channels have their address; PagerDuty and Telegram have one by default. */
const ADDRESS_KEYS = ["url", "smtp", "base_url"] as const;

function addressIn(settings: unknown): URL | null {
  if (typeof settings !== "object" || settings === null) return null;
  const entries = new Map<string, unknown>(Object.entries(settings));
  for (const key of ADDRESS_KEYS) {
    const value = entries.get(key);
    const text = value instanceof Secret ? value.reveal() : value;
    if (typeof text === "string" && URL.canParse(text)) return new URL(text);
  }
  return null;
}
