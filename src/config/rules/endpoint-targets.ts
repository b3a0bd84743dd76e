import { ENDPOINTS, type EndpointSpec } from "../../api/endpoints.ts";
import { nearest } from "../../base/nearest.ts";
import { kindOf } from "../../base/settings.ts";
import { errorAt, type Path, type Report } from "../../rules/finding.ts";
import { shown } from "../../rules/quantity-error.ts";
import type { Addresses } from "../settings/addresses.ts";

const EXPECTED = { expected: "a list of endpoints such as [v4_pool, gas_hourly]" };

/** An endpoint of the service that a watch names, and where. */
export interface EndpointTarget {
  readonly name: string;
  readonly path: Path;
}

/**
 * Reads `endpoints` of a watch: those that it lists, each of which must be one that the service can
 * be asked for at its addresses; all of them if the key is not there.
 */
export function readEndpoints(
  raw: unknown,
  path: Path,
  addresses: Addresses | undefined,
  report: Report,
): readonly EndpointTarget[] {
  const specs = new Map<string, EndpointSpec>(Object.entries(ENDPOINTS));
  const isServed = ({ base }: EndpointSpec): boolean => addresses?.has(base) !== false;
  if (raw === undefined) {
    return [...specs].flatMap(([name, spec]) => (isServed(spec) ? [{ name, path }] : []));
  }
  if (!Array.isArray(raw) || raw.length === 0) {
    const what = Array.isArray(raw)
      ? "is empty"
      : raw === null
        ? "has no value"
        : `is ${kindOf(raw)}`;
    report(errorAt(path, `${what}: the rule would watch nothing`, EXPECTED));
    return [];
  }
  const items: readonly unknown[] = raw;
  return items.flatMap((item, i) => {
    const at = [...path, i];
    const spec = typeof item === "string" ? specs.get(item) : undefined;
    if (typeof item !== "string" || spec === undefined) {
      const what = typeof item === "string" ? shown(item) : kindOf(item);
      const near = typeof item === "string" ? nearest(item, specs.keys()) : null;
      const hint = near === null ? EXPECTED : { ...EXPECTED, suggestion: near };
      report(errorAt(at, `${what} is no endpoint`, hint));
      return [];
    }
    if (!isServed(spec)) {
      const message = `the endpoint ${item} needs ${spec.base}, which the configuration's service does not have`;
      report(errorAt(at, message, { expected: `${spec.base}: https://… under service` }));
      return [];
    }
    return [{ name: item, path: at }];
  });
}
