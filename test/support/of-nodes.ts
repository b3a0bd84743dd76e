import { ENDPOINTS, ENDPOINTS_OF, type EndpointName } from "../../src/api/endpoints.ts";
import type { WatchKind } from "../../src/kinds/kind.ts";

/** Whether only EVM nodes answer at an endpoint. */
export function isOfNodes(endpoint: EndpointName): boolean {
  return ENDPOINTS[endpoint].base === "rpc";
}

/** Whether a kind needs a node, and no service will do. */
export function needsNode({ records }: Pick<WatchKind, "records">): boolean {
  return records.some((record) => ENDPOINTS_OF[record].every(isOfNodes));
}
