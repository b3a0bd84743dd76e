import { dirname } from "node:path";
import { isMap } from "../../base/json.ts";
import type { RpcSettings } from "../../model/index.ts";
import { type Env, readSomeKeys } from "./read-config.ts";
import { readService } from "./service-keys.ts";

/**
 * What a configuration says of its service, and nothing else of it: the nodes of `service.rpc`, null where it
 * has an address. Throws ConfigError.
 */
export function loadNodes(path: string, env: Env): Promise<RpcSettings | null> {
  return readSomeKeys(path, env, ["service"], ({ service: raw }, report) => {
    const folder = dirname(path);
    if (!isMap(raw) || !("rpc" in raw)) return null;
    return readService(raw, undefined, folder, report).service?.rpc ?? null;
  });
}
