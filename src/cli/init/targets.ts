import { CHAINS, chainByAlias, chainName } from "../../base/chains.ts";
import { cleanText } from "../../base/text.ts";
import { type DataAnswer, isV3, PROTOCOLS, type Target, target, type Watch } from "./answers.ts";
import { type Asker, InitError, oneOf, refusal } from "./asker.ts";
import { SIMULATED, SIMULATED_WALLET, STABLECOIN_TARGET } from "./known.ts";

/** The answers that were given on the command line. */
export interface InitOptions {
  readonly watch?: string;
  readonly data?: string;
  readonly url?: string;
  readonly legacyUrl?: string;
  readonly chain?: string;
  readonly id?: readonly string[];
  readonly protocol?: string;
  readonly wallet?: string;
  readonly channel?: string;
  readonly offline?: boolean;
}

/** What the questions need of the outside world. */
export interface Surroundings {
  /** What a wallet holds; or, as a text, why that cannot be known now. */
  readonly find: (what: LookedAt) => Promise<readonly FoundTarget[] | string>;
  /** Tells the user something between two questions. */
  readonly say: (line: string) => void;
}

/** A wallet, and where to look for what it holds. */
export interface LookedAt {
  readonly watch: Watch;
  readonly wallet: string;
  readonly data: DataAnswer;
  /** The chain of the nodes; null: all chains of the service. */
  readonly chainId: number | null;
}

export interface FoundTarget {
  readonly target: Target;
  /** For people: what it is and how much. */
  readonly label: string;
}

const ADDRESS = /^0x[\da-f]{40}$/i;
const POOL = /^0x(?:[\da-f]{64}|[\da-f]{40})$/i;
const POSITION_ID = /^\d{1,78}$/;

interface Watched {
  readonly targets: readonly Target[];
  readonly wallet: string | null;
}

/** What is to be watched, by its ids or by what a wallet holds. */
export async function askTargets(
  watch: Watch,
  data: DataAnswer,
  options: InitOptions,
  asker: Asker,
  around: Surroundings,
): Promise<Watched> {
  const { id: ids = [], wallet } = options;
  if (wallet !== undefined && watch !== "lp" && watch !== "treasury") {
    throw new InitError("--wallet is for --watch lp and treasury");
  }
  if (ids.length > 0 && watch === "gas")
    throw new InitError("--watch gas needs a --chain, and no --id");
  const openEnded = ids.length === 0 && wallet === undefined && options.chain === undefined;
  // The simulated market has things of its own to watch, which nobody knows by their ids.
  if (data.kind === "simulator" && openEnded) {
    return { targets: SIMULATED[watch], wallet: watch === "treasury" ? SIMULATED_WALLET : null };
  }
  switch (watch) {
    case "gas":
      return { targets: [target(await askChain(options, asker), "")], wallet: null };
    case "pool":
      return { targets: await askIds(options, asker, POOLS), wallet: null };
    case "holders":
      return { targets: await askIds(options, asker, TOKENS), wallet: null };
    case "lp":
      return await askPositions(data, options, asker, around);
    case "treasury":
      return await askWallet(data, options, asker, around);
  }
}

/** What people give the ids of. */
interface Ids {
  readonly question: string;
  readonly placeholder: string;
  readonly form: RegExp;
  /** Such an id in words. */
  readonly expected: string;
}

const POOLS: Ids = {
  question: "The pools' ids (V4) or addresses (V3), separated by commas:",
  placeholder: "0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27",
  form: POOL,
  expected: "a V4 pool's id, 0x and 64 hexadecimal digits, or a V3 pool's address, 0x and 40",
};
const TOKENS: Ids = {
  question: "The tokens' addresses, separated by commas:",
  placeholder: "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a",
  form: ADDRESS,
  expected: "a token's address: 0x and 40 hexadecimal digits",
};
const POSITIONS: Ids = {
  question: "The positions' ids, separated by commas:",
  placeholder: "128404",
  form: POSITION_ID,
  expected: "a position's id: the number of its NFT",
};

async function askIds(options: InitOptions, asker: Asker, ids: Ids): Promise<readonly Target[]> {
  const chainId = await askChain(options, asker);
  const text = await asker.text(
    "id",
    options.id?.join(","),
    ids.question,
    ids.placeholder,
    (given) => idsTrouble(given, ids),
  );
  return split(text).map((id) => target(chainId, id));
}

/** Whether positions can be found by a wallet: a service tells of them only in its earlier family. */
function findsPositions(data: DataAnswer): boolean {
  return data.kind !== "service" || data.legacyUrl !== null;
}

const POSITIONS_OR_WALLET =
  "The positions' ids, separated by commas, or your wallet's address to look for them:";
const NOT_FOUND =
  "A service without --legacy-url does not say which positions a wallet has; give their ids.";

async function askPositions(
  data: DataAnswer,
  options: InitOptions,
  asker: Asker,
  around: Surroundings,
): Promise<Watched> {
  const given = options.id?.join(",") ?? options.wallet;
  const finds = findsPositions(data);
  const text = await asker.text(
    options.wallet === undefined ? "id" : "wallet",
    given,
    finds ? POSITIONS_OR_WALLET : POSITIONS.question,
    POSITIONS.placeholder,
    (each) => {
      if (!ADDRESS.test(each)) return idsTrouble(each, POSITIONS);
      return finds ? null : NOT_FOUND;
    },
  );
  if (ADDRESS.test(text) && data.kind === "node") {
    // Nodes tell at any time what a wallet holds: the rules name it, and no position.
    return { targets: [target(await askChain(options, asker), "")], wallet: text };
  }
  if (ADDRESS.test(text)) {
    const found = await offer({ watch: "lp", wallet: text, data, chainId: null }, asker, around);
    if (typeof found !== "string") return { targets: found, wallet: null };
    if (!asker.canAsk) throw new InitError(`${found}; give the positions with --id`);
    around.say(found);
    const { wallet: _wallet, id: _id, ...others } = options;
    return await askPositions(data, others, asker, around);
  }
  const protocol = oneOf("protocol", options.protocol ?? "dexa", PROTOCOLS);
  const chainId = await askChain(options, asker);
  return { targets: split(text).map((id) => target(chainId, id, { protocol })), wallet: null };
}

async function askWallet(
  data: DataAnswer,
  options: InitOptions,
  asker: Asker,
  around: Surroundings,
): Promise<Watched> {
  const wallet = await asker.text(
    "wallet",
    options.wallet,
    "The wallet's address:",
    SIMULATED_WALLET,
    (given) => (ADDRESS.test(given) ? null : "It is an address: 0x and 40 hexadecimal digits."),
  );
  if (options.id !== undefined) return { targets: await askIds(options, asker, TOKENS), wallet };
  const chainId = data.kind === "node" ? await askChain(options, asker) : null;
  const found = await offer({ watch: "treasury", wallet, data, chainId }, asker, around);
  if (typeof found !== "string") return { targets: found, wallet };
  if (chainId !== null) {
    if (!asker.canAsk) throw new InitError(`${found}; give its tokens with --id`);
    around.say(found);
    const chain = String(chainId);
    return { targets: await askIds({ ...options, chain }, asker, TOKENS), wallet };
  }
  around.say(
    `${found}; the rules watch ${STABLECOIN_TARGET.name ?? ""} on ${chainName(STABLECOIN_TARGET.chainId)}`,
  );
  return { targets: [STABLECOIN_TARGET], wallet };
}

/** What was found and chosen; a text says why there is nothing. */
async function offer(
  what: LookedAt,
  asker: Asker,
  around: Surroundings,
): Promise<readonly Target[] | string> {
  const found = await around.find(what);
  if (typeof found === "string") return found;
  const chosen = await asker.several(
    "Found these. What do you want to watch?",
    found.map(({ label }) => label),
  );
  return chosen.flatMap((index) => found[index]?.target ?? []);
}

async function askChain({ chain }: InitOptions, asker: Asker): Promise<number> {
  if (chain !== undefined) return chainOf(chain);
  const aliases = CHAINS.map(({ alias }) => alias);
  const hints = Object.fromEntries(CHAINS.map(({ alias, name }) => [alias, name]));
  return chainOf(await asker.choose("chain", undefined, "On which chain?", aliases, { hints }));
}

/** Reads `ethereum` or a chain's number. */
function chainOf(text: string): number {
  const known = chainByAlias(text);
  if (known !== undefined) return known.id;
  const number = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(number)) return number;
  const aliases = CHAINS.map(({ alias }) => alias);
  throw new InitError(refusal("chain", text, aliases, "a chain's number"));
}

function idsTrouble(text: string, { form, expected }: Ids): string | null {
  const ids = split(text);
  const wrong = ids.find((id) => !form.test(id));
  // One rule has one kind.
  if (form === POOL && wrong === undefined && new Set(ids.map(isV3)).size > 1)
    return "V3 and V4 pools need a folder each; give those of one.";
  if (ids.length > 0 && wrong === undefined) return null;
  return `It is ${expected}${wrong === undefined ? "" : `, not "${cleanText(wrong, 40)}"`}.`;
}

/** Each id once, as it stands. */
function split(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((id) => id !== ""))];
}
