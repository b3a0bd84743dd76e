import { ENDPOINTS, ENDPOINTS_OF, type EndpointSpec } from "../../api/endpoints.ts";
import { fetchPortTrouble, oddPair, portTrouble } from "../../base/network.ts";
import type { WatchKind } from "../../kinds/kind.ts";
import type { Ask, Subject } from "../../model/index.ts";
import { errorAt, type Finding, type Path, type Report, warningAt } from "../../rules/finding.ts";

/** The keys of `service` under which it has an address; nodes (`rpc`) have both, and answer about any chain. */
export type Addresses = ReadonlySet<EndpointSpec["base"]>;

/** Whether a record can be had from the service at these addresses. */
function isServed(record: Ask["record"], addresses: Addresses): boolean {
  // What the daemon itself knows of endpoints needs no address.
  if (record === "endpoint") return true;
  return ENDPOINTS_OF[record].some((endpoint) => addresses.has(ENDPOINTS[endpoint].base));
}

/**
 * Checks that the service has the addresses without which the kind knows nothing, or nothing of one of
 * the rule's subjects; `path` leads to the rule's kind.
 */
export function checkAddresses(
  { kind, variantOf, records, asks }: Pick<WatchKind, "kind" | "variantOf" | "records" | "asks">,
  subjects: readonly Subject[],
  addresses: Addresses,
  path: Path,
  report: Report,
): void {
  // A kind that names none asks for another one for each of its subjects.
  const needed =
    records.length > 0
      ? records
      : subjects.flatMap((subject) => asks(subject, 0).map((ask) => ask.record));
  const record = needed.find((one) => !isServed(one, addresses));
  if (record === undefined) return;
  report(needsAddress(`the kind ${variantOf ?? kind}`, ENDPOINTS[ENDPOINTS_OF[record][0]], path));
}

/** Checks that there are nodes where a metric is named that only they tell. */
export function checkMetrics(
  names: readonly string[],
  { metrics }: Pick<WatchKind, "metrics">,
  addresses: Addresses,
  path: Path,
  report: Report,
): void {
  if (addresses.has("rpc")) return;
  const name = names.find((one) => metrics.get(one)?.node === true);
  if (name !== undefined) report(needsAddress(`the metric ${name}`, { base: "rpc" }, path));
}

/** Checks that a rule with `schedule: block` has blocks: of a chain that it watches, read from a node. */
export function checkBlocks(
  { targets }: Pick<WatchKind, "targets">,
  addresses: Addresses | undefined,
  path: Path,
  report: Report,
): void {
  if (addresses?.has("rpc") === false) {
    report(needsAddress("the schedule block", { base: "rpc" }, path));
  } else if (targets.key === "endpoints") {
    const message = "a rule on endpoints watches no chain, and so it has no blocks";
    report(errorAt("bad-schedule", path, message, "a duration such as 1m"));
  }
}

/** That what `who` names is not to be had at the addresses that the service has. */
export function needsAddress(
  who: string,
  { base }: Pick<EndpointSpec, "base">,
  path: Path,
): Finding {
  if (base === "rpc") {
    return errorAt(
      "needs-node",
      path,
      `${who} needs a node: service.rpc`,
      "service: {rpc: {chains: {…}}} in place of base_url, see docs/node.md",
    );
  }
  const message = `${who} needs ${base}, which the configuration's service does not have`;
  return errorAt("needs-base-url", path, message, `${base}: https://… under service`);
}

/**
 * Refuses an address at whose port its client reaches nothing, and warns of a scheme and a port that do not go
 * together. `client`: fetch asks channels and the heartbeat; the service is asked on plain connections.
 * Anything but an address is left alone.
 */
export function checkPort(
  address: string,
  client: "fetch" | "plain",
  path: Path,
  report: Report,
): void {
  if (!URL.canParse(address)) return;
  const url = new URL(address);
  const isFetched = client === "fetch" && /^https?:$/.test(url.protocol);
  const trouble = isFetched ? fetchPortTrouble(url) : portTrouble(url);
  if (trouble !== null) {
    report(errorAt("bad-port", path, trouble, "another port"));
    return;
  }
  const pair = oddPair(address);
  if (pair !== null) report(warningAt("bad-port", path, pair.message, pair.expected));
}
