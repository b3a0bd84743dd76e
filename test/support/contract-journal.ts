import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";

/**
 * A second reading of the contract, which shares nothing with the program: it takes every request
 * as it arrives, holds it against the unedited `contract.json`, and keeps what it saw. Nothing in
 * here may import from src/.
 */

interface Parameter {
  readonly type: string;
  readonly required?: boolean;
  readonly repeat?: number;
  readonly separator?: string;
  readonly min?: number;
  readonly max?: number;
  readonly default?: number | string;
  readonly oneOf?: readonly string[];
}

export type Shape = string | { readonly [name: string]: Shape } | readonly [Shape];

export interface Endpoint {
  readonly family: "current" | "earlier";
  readonly path: string;
  readonly params: Readonly<Record<string, Parameter>>;
  readonly response: string | readonly [string];
  readonly maxRangeDays?: number;
}

interface Contract {
  readonly auth: {
    readonly current: { readonly header: string };
    readonly earlier: { readonly query: string };
  };
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  readonly records: Readonly<Record<string, Readonly<Record<string, Shape>>>>;
}

export const CONTRACT = JSON.parse(
  readFileSync(new URL("../api/contract.json", import.meta.url), "utf8"),
) as Contract;

const { header: KEY_HEADER } = CONTRACT.auth.current;
const { query: KEY_PARAMETER } = CONTRACT.auth.earlier;

const FORMS: Readonly<Record<string, RegExp>> = {
  number: /^(?:0|[1-9]\d{0,14})$/,
  "YYYY-MM-DD": /^\d{4}-\d{2}-\d{2}$/,
  "0x+64 hex": /^0x[0-9a-fA-F]{64}$/,
  "uint256 decimal": /^(?:0|[1-9]\d{0,77})$/,
};
/** The contract calls them strings; the document says what they hold. */
const NAMED_FORMS: Readonly<Record<string, RegExp>> = {
  token: /^0x[0-9a-fA-F]{40}$/,
  wallet: /^0x[0-9a-fA-F]{40}$/,
  wallets: /^0x[0-9a-fA-F]{40}$/,
  address: /^0x[0-9a-fA-F]{40}$/,
  poolid: /^0x[0-9a-fA-F]{64}$/,
};
const DAY = 86_400_000;

/** One request as it arrived. */
export interface Arrival {
  /** Of the contract; null: there is no such path. */
  readonly endpoint: string | null;
  /** Path and query without the key. */
  readonly url: string;
  readonly params: URLSearchParams;
  /** Of the clock by which rounds run. */
  readonly at: number;
  /** Of real time, in milliseconds. */
  readonly arrived: number;
  /** How many were open with it, itself included. */
  readonly open: number;
  /** What it was answered with; null: nothing yet, or no HTTP. */
  status: number | null;
}

export class ContractJournal {
  readonly arrivals: Arrival[] = [];
  /** Every way in which a request was not as the contract has it, in words. */
  readonly deviations: string[] = [];
  #open = 0;

  constructor(
    private readonly key: string,
    private readonly now: () => number,
  ) {}

  /** Who takes a request must call `done` when its response is closed. */
  take(request: Pick<IncomingMessage, "method" | "url" | "headers">): Arrival {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://loopback");
    const named = Object.entries(CONTRACT.endpoints).find(([, { path }]) => path === pathname);
    const faults =
      named === undefined
        ? ["no such path"]
        : [
            ...keyFaults(request, searchParams, named[1], this.key),
            ...queryFaults(named[1], withoutKey(searchParams)),
          ];
    if (request.method !== "GET") faults.push(`${request.method} in place of GET`);
    const { "content-length": length = "0", "transfer-encoding": coding } = request.headers;
    if (length !== "0" || coding !== undefined) faults.push("a request with a body");
    this.deviations.push(...faults.map((fault) => `${pathname}: ${fault}`));
    this.#open += 1;
    const params = withoutKey(searchParams);
    const arrival: Arrival = {
      endpoint: named?.[0] ?? null,
      url: `${pathname}?${params}`,
      params,
      at: this.now(),
      arrived: performance.now(),
      open: this.#open,
      status: null,
    };
    this.arrivals.push(arrival);
    return arrival;
  }

  done(): void {
    this.#open -= 1;
  }

  /** The most requests that were open at one time. */
  get mostOpen(): number {
    return Math.max(0, ...this.arrivals.map(({ open }) => open));
  }

  /** The arrivals of each round (the clock stands still within one) that a name puts together. */
  byRound(nameOf: (arrival: Arrival) => string): ReadonlyMap<string, readonly Arrival[]> {
    const groups = new Map<string, Arrival[]>();
    for (const arrival of this.arrivals) {
      const name = `${arrival.at} ${nameOf(arrival)}`;
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [arrival]);
      else group.push(arrival);
    }
    return groups;
  }
}

function withoutKey(params: URLSearchParams): URLSearchParams {
  const copy = new URLSearchParams(params);
  copy.delete(KEY_PARAMETER);
  return copy;
}

/** The key is where its family has it, whole, and nowhere else. */
function keyFaults(
  { url = "", headers }: Pick<IncomingMessage, "url" | "headers">,
  params: URLSearchParams,
  { family }: Endpoint,
  key: string,
): string[] {
  const faults: string[] = [];
  const inQuery = params.getAll(KEY_PARAMETER);
  const inHeader = headers[KEY_HEADER];
  if (family === "current") {
    if (inHeader !== key) faults.push("the key is not in its header");
    if (inQuery.length > 0) faults.push("a key in the query of the current family");
  } else {
    if (inQuery.length !== 1 || inQuery[0] !== key) faults.push("the key is not in the query once");
    if (inHeader !== undefined) faults.push("a key in the header of the earlier family");
  }
  const others = Object.entries(headers).filter(([name]) => name !== KEY_HEADER);
  if (JSON.stringify(others).includes(key)) faults.push("the key in another header");
  if (decodeURIComponent(url).split(key).length > (family === "current" ? 1 : 2)) {
    faults.push("the key in another place of the address");
  }
  return faults;
}

function queryFaults(endpoint: Endpoint, params: URLSearchParams): string[] {
  const faults: string[] = [];
  for (const name of new Set(params.keys())) {
    if (!Object.hasOwn(endpoint.params, name)) faults.push(`an unknown parameter ${name}`);
  }
  for (const [name, parameter] of Object.entries(endpoint.params)) {
    faults.push(...parameterFaults(name, parameter, params.getAll(name), endpoint));
  }
  const [from, to] = [params.get("from"), params.get("to")];
  if (endpoint.maxRangeDays !== undefined && from !== null && to !== null) {
    const days = (Date.parse(to) - Date.parse(from)) / DAY;
    // Whether both ends count is not shown, so that they must.
    if (!(days >= 0 && days + 1 <= endpoint.maxRangeDays)) faults.push(`a range of ${days} days`);
  }
  return faults;
}

function parameterFaults(
  name: string,
  { type, required, repeat, separator, min, max, default: usual, oneOf }: Parameter,
  given: readonly string[],
  { family, maxRangeDays }: Endpoint,
): string[] {
  const faults: string[] = [];
  // Of the earlier family it is not shown what is required: all is that has no default. Of days it is
  // not shown what is answered without: both must be said.
  const needed = required === true || (family === "earlier" && usual === undefined);
  const isRange = maxRangeDays !== undefined && (name === "from" || name === "to");
  if (given.length === 0) return needed || isRange ? [`no ${name}`] : [];
  if (repeat === undefined && given.length > 1) faults.push(`${name} more than once`);
  const values = separator === undefined ? given : given.flatMap((text) => text.split(separator));
  const most = repeat ?? (separator === undefined ? 1 : (max ?? 1));
  if (values.length > most) faults.push(`${values.length} values of ${name}`);
  if (new Set(values).size < values.length) faults.push(`${name} has one value twice`);
  for (const value of values) {
    const form = FORMS[type] ?? NAMED_FORMS[name] ?? /^[a-z]+$/;
    if (!form.test(value)) faults.push(`${name} is no ${type}`);
    if (oneOf !== undefined && !oneOf.includes(value)) faults.push(`${name} is ${value}`);
    if (type !== "number") continue;
    if (Number(value) < (min ?? 0) || Number(value) > (max ?? Number.POSITIVE_INFINITY)) {
      faults.push(`${name} is ${value}`);
    }
  }
  return faults;
}
