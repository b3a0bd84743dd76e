import { fetchPortTrouble, oddPair, portTrouble } from "../base/ports.ts";
import { errorAt, type Path, type Report, warningAt } from "../rules/finding.ts";

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
    report(errorAt(path, trouble, { expected: "another port" }));
    return;
  }
  const pair = oddPair(address);
  if (pair !== null) report(warningAt(path, pair.message, { expected: pair.expected }));
}
