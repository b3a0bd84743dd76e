import { WBTC_WETH } from "../../src/simulator/listed-pools.ts";
import { MAKER, STABLECOIN } from "../../src/simulator/listed-tokens.ts";

/**
 * The market has few things, and batches take many: a clone is answered for as another thing, under
 * its own name. Their ids count up behind a head that nothing in the market has.
 */
interface Cloned {
  readonly param: string;
  readonly field: string;
  readonly original: string;
  readonly idOf: (index: number) => string;
}

const padded = (head: string, length: number) => (index: number) =>
  `0x${head}${index.toString(16).padStart(length - head.length, "0")}`;

const TOKEN = {
  param: "token",
  field: "token_address",
  original: STABLECOIN,
  idOf: padded("c10e", 40),
};

const CLONED: Readonly<Record<string, Cloned>> = {
  v4_pool: {
    param: "pool_ids",
    field: "pool_id",
    original: WBTC_WETH,
    idOf: padded("c10e", 64),
  },
  v4_position: {
    param: "nft_ids",
    field: "nft_id",
    original: "91777",
    idOf: (index) => String(7_700_000_000 + index),
  },
  supply: TOKEN,
  holder_count: TOKEN,
  balance: TOKEN,
  legacy_balances: {
    param: "wallets",
    field: "wallet_address",
    original: MAKER,
    idOf: padded("c10e", 40),
  },
};

/** The ids of so many clones that an endpoint answers for. */
export function cloneIds(endpoint: string, count: number): readonly string[] {
  const { idOf } = CLONED[endpoint] ?? TOKEN;
  return Array.from({ length: count }, (_, i) => idOf(i));
}

/** Position of a clone among the clones; null: it is none. */
function isClone(id: string): boolean {
  return /^0xc10e0|^77000000\d\d$/.test(id);
}

/** The ids of a batch, and the same with every clone replaced by its original. */
function idsOf({ param }: Cloned, params: URLSearchParams): readonly string[] {
  return params.getAll(param).flatMap((text) => text.split(","));
}

/** What the embedded service is asked in place of it: originals for clones. */
export function baseOf(endpoint: string, params: URLSearchParams): URLSearchParams {
  const cloned = CLONED[endpoint];
  if (cloned === undefined) return params;
  const ids = idsOf(cloned, params);
  if (!ids.some(isClone)) return params;
  const base = new URLSearchParams(params);
  base.delete(cloned.param);
  const wanted = new Set(ids.map((id) => (isClone(id) ? cloned.original : id).toLowerCase()));
  if (cloned.param === "wallets") base.set(cloned.param, [...wanted].join(","));
  else for (const id of wanted) base.append(cloned.param, id);
  return base;
}

type Json = Record<string, unknown>;

/** The answer to what `baseOf` asked, with an entry for each id that was really asked for. */
export function clonesOf(endpoint: string, params: URLSearchParams, text: string): string {
  const cloned = CLONED[endpoint];
  if (cloned === undefined) return text;
  const ids = idsOf(cloned, params);
  if (!ids.some(isClone)) return text;
  const body = JSON.parse(text) as Json[] | (Json & { readonly balances: Json[] });
  const known = new Map(
    (Array.isArray(body) ? body : body.balances).map((entry) => [
      String(entry[cloned.field]).toLowerCase(),
      entry,
    ]),
  );
  const entries = ids.flatMap((id) => {
    const entry = known.get((isClone(id) ? cloned.original : id).toLowerCase());
    if (entry === undefined) return [];
    return [isClone(id) ? { ...entry, [cloned.field]: id } : entry];
  });
  return JSON.stringify(Array.isArray(body) ? entries : { ...body, balances: entries });
}
