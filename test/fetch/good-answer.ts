import type { FieldSpec, Fields } from "../../src/api/endpoint.ts";
import { ENDPOINTS, type EndpointName, type EndpointSpec } from "../../src/api/endpoints.ts";
import type { Request } from "../../src/fetch/source.ts";
import type { Ask } from "../../src/model/index.ts";

export type Json = Record<string, unknown>;

/** What a service in good order answers to a request, with every field of the specification. */
export function goodAnswer({ endpoint, asks }: Pick<Request, "endpoint" | "asks">): unknown {
  const spec: EndpointSpec = ENDPOINTS[endpoint];
  const records = asks.map((ask) => recordOf(spec.fields, ask));
  if (spec.shape === "array") return records;
  const [one] = records;
  if (spec.shape === "object" || spec.list === undefined || one === undefined) return one;
  const { fields = {} } = spec.fields[spec.list] ?? {};
  return { ...one, [spec.list]: asks.map((ask) => recordOf(fields, ask)) };
}

/** The entries of a good answer, to be spoilt; of an object, itself. */
export function entriesOf(endpoint: EndpointName, answer: unknown): Json[] {
  const { shape, list = "" }: EndpointSpec = ENDPOINTS[endpoint];
  if (shape === "object") return [answer as Json];
  return (shape === "array" ? answer : (answer as Json)[list]) as Json[];
}

/** The same answer with other entries. */
export function withEntries(endpoint: EndpointName, answer: unknown, entries: unknown): unknown {
  const { shape, list = "" }: EndpointSpec = ENDPOINTS[endpoint];
  if (shape === "object") return answer;
  return shape === "array" ? entries : { ...(answer as Json), [list]: entries };
}

function recordOf(fields: Fields, ask: Ask): Json {
  const entries = Object.entries(fields).map(([name, field]) => [name, valueOf(name, field, ask)]);
  return Object.fromEntries(entries) as Json;
}

function valueOf(name: string, field: FieldSpec, ask: Ask): unknown {
  switch (name) {
    case "chain_id":
    case "chainId":
      return ask.chainId;
    case "wallet_address":
      return ask.wallet ?? `0x${"9".repeat(40)}`;
    case "owner_address":
      return ask.owner ?? `0x${"7".repeat(40)}`;
    case "spender_address":
      return ask.spender;
    case "contract_address":
      return ask.id;
    case "function":
      return ask.function;
    case "args":
      return ask.args;
    case "blocks":
      return ask.limit;
    case "decimals":
      return ask.decimals ?? 7;
    case "protocol":
      return ask.protocol;
    case "period":
      return ask.period;
    case "nft_id":
    case "token_address":
    case "pool_address":
      return ask.id;
    case "pool_id":
      return ask.record === "v4_position" ? `0x${"8".repeat(64)}` : ask.id;
    default:
  }
  if (field.type === "object") return recordOf(field.fields ?? {}, ask);
  if (field.type === "array") return [];
  if (field.type === "boolean") return true;
  if (field.quantity === "address") return `0x${"7".repeat(40)}`;
  if (field.iso === true) return "2026-11-27T13:00:00Z";
  return field.type === "number" ? 7 : "7";
}
