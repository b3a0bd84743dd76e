import type { EndpointName } from "../api/endpoints.ts";
import type { Ask, RawRecord } from "../model/index.ts";
import { specOf } from "./endpoint-facts.ts";

type Identity = readonly (readonly [field: string, asked: (ask: Ask) => string | undefined])[];

/** What records and lists name themselves by, beside their id. */
const SHARED: Identity = [
  ["chain_id", ({ chainId }) => String(chainId)],
  ["chainId", ({ chainId }) => String(chainId)],
  ["wallet_address", ({ wallet }) => wallet],
  ["protocol", ({ protocol }) => protocol],
  ["period", ({ period }) => period],
];
const ID = (ask: Ask): string => ask.id;
/** A position names its pool beside itself, which is none of what was asked for. */
const POSITION: Identity = [...SHARED, ["nft_id", ID]];
const ANY: Identity = [...SHARED, ["token_address", ID], ["pool_id", ID], ["pool_address", ID]];

/**
 * Whether a record, an entry or a list is what was asked for, as far as it says: fields that are
 * absent or null say nothing. `known`: the field that it was found by.
 */
export function isOf(endpoint: EndpointName, record: RawRecord, ask: Ask, known = ""): boolean {
  for (const [field, asked] of identityOf(endpoint)) {
    if (field === known) continue;
    const given = record[field];
    // The chain is a number in every record, and a round compares a hundred thousand of them.
    if (given === undefined || given === null || given === ask.chainId) continue;
    const wanted = asked(ask);
    if (wanted !== undefined && !isText(given, wanted)) return false;
  }
  return true;
}

const identities = new Map<EndpointName, Identity>();

/** Of the fields that identify, those that the endpoint's answers have by the contract. */
function identityOf(endpoint: EndpointName): Identity {
  let identity = identities.get(endpoint);
  if (identity === undefined) {
    const { batch, fields, list } = specOf(endpoint);
    const entry = list === undefined ? {} : (fields[list]?.fields ?? {});
    const all = batch?.field === "nft_id" ? POSITION : ANY;
    identity = all.filter(([field]) => field in fields || field in entry);
    identities.set(endpoint, identity);
  }
  return identity;
}

/** Whether an id is one that asks have; most are written as those are. */
export function isText(raw: unknown, id: string): boolean {
  return raw === id || textOf(raw) === id;
}

/** An id as asks have it; small ones may come as numbers. */
export function textOf(raw: unknown): string {
  if (typeof raw === "string") return raw.toLowerCase();
  return typeof raw === "number" ? String(raw) : "";
}
