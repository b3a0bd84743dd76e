import { createHash } from "node:crypto";
import { ENDPOINTS, ENDPOINTS_OF, type EndpointSpec } from "../api/endpoints.ts";
import { fieldsOf } from "../kinds/fields.ts";
import type { WatchKind } from "../kinds/kind.ts";
import type { Ask, RawRecord } from "../model/index.ts";

/** What makes asks be for the same record, whichever days or page of it they want. */
export function recordKey({ record, chainId, id, wallet, protocol }: Ask): string {
  return [record, chainId, id, wallet ?? "", protocol ?? ""].join(":");
}

/** The fields by which the service says of what a record is, as an answer to this ask has them. */
export function identityOf(ask: Ask): RawRecord {
  const fields = fieldsOf(ask.record);
  const { batch }: EndpointSpec = ENDPOINTS[ENDPOINTS_OF[ask.record][0]];
  const known: RawRecord = {
    chain_id: ask.chainId,
    token_address: ask.id,
    ...(ask.wallet === undefined ? {} : { wallet_address: ask.wallet }),
    ...(ask.protocol === undefined ? {} : { protocol: ask.protocol }),
    ...(ask.record === "v4_position" ? { pool_id: madeUpPool(ask) } : {}),
    ...(batch === undefined ? {} : { [batch.field]: ask.id }),
  };
  return Object.fromEntries(Object.entries(known).filter(([name]) => name in fields));
}

/** A position that names no pool lies in one of its own. */
function madeUpPool({ key }: Ask): string {
  return `0x${createHash("sha256").update(key).digest("hex")}`;
}

/** The field that names the bucket which begins at `start`; none for kinds without buckets. */
export function bucketName({ bucketMs, ownTime }: WatchKind, start: number): RawRecord {
  if (bucketMs === null || ownTime === undefined) return {};
  return { [ownTime]: new Date(start).toISOString().replace(".000Z", "Z") };
}
