import { chainById, chainName } from "../../base/chains.ts";
import type { Source } from "../../fetch/source.ts";
import { recordOf } from "../../kinds/fields.ts";
import { NATIVE_DECIMALS } from "../../kinds/tokens.ts";
import type { Answer, Ask } from "../../model/index.ts";
import { type Target, target, type Watch } from "./answers.ts";
import { KNOWN_POOLS, KNOWN_TOKENS } from "./known.ts";
import type { FoundTarget } from "./targets.ts";

/** What of a wallet there is to watch at a data service; a text says why nothing was found. */
export async function findHeld(
  watch: Watch,
  wallet: string,
  source: Source,
  signal: AbortSignal,
): Promise<readonly FoundTarget[] | string> {
  return watch === "lp"
    ? await findPositions(wallet.toLowerCase(), source, signal)
    : await findTokens(wallet, KNOWN_TOKENS, source, signal);
}

/** What of a chain may be in a wallet, where nodes tell of it: its own currency, and tokens that many hold. */
export function walletTargets(chainId: number): readonly Target[] {
  const name = chainById(chainId)?.nativeSymbol ?? "native";
  const native = target(chainId, "", { name, decimals: NATIVE_DECIMALS });
  return [native, ...KNOWN_TOKENS.filter((one) => one.chainId === chainId)];
}

/** Which of these are in a wallet; a text says why none was found. */
export async function findTokens(
  owner: string,
  targets: readonly Target[],
  source: Source,
  signal: AbortSignal,
): Promise<readonly FoundTarget[] | string> {
  const wallet = owner.toLowerCase();
  const answers = await askAll(
    targets.map(({ chainId, id }): Ask => {
      const record = id === "" ? "native_balance" : "balance";
      return { key: `${chainId}:${id}`, record, chainId, id: id.toLowerCase(), wallet };
    }),
    source,
    signal,
  );
  const found = targets.flatMap((one): FoundTarget[] => {
    const record = recordOf(answers.get(`${one.chainId}:${one.id}`));
    const balance = wholeNumber(record?.balance);
    if (balance === null || balance === 0n) return [];
    return [{ target: one, label: `${amountOf(balance, one)} on ${chainName(one.chainId)}` }];
  });
  if (found.length > 0) return found;
  return (
    unanswered(answers) ??
    `none of the ${targets.length} well-known tokens was found in that wallet`
  );
}

/** `1,234 USDC`; less than one as what it is. */
function amountOf(balance: bigint, { name, decimals }: Target): string {
  const one = 10n ** BigInt(decimals ?? 0);
  const whole = balance / one;
  const amount = whole === 0n ? "less than 1" : whole.toLocaleString("en-US");
  return `${amount} ${name ?? ""}`;
}

/** Why it is not known what a wallet holds; null: something was answered. */
function unanswered(answers: ReadonlyMap<string, Answer>): string | null {
  const all = [...answers.values()];
  const failures = all.flatMap((one) => (one.status === "failed" ? [one.failure] : []));
  const [first] = failures;
  if (first === undefined || failures.length < all.length) return null;
  return `the wallet cannot be looked through: ${first.detail}`;
}

/** The newest changes of a pool that one answer holds. */
const MOST_CHANGES = 1_000;

/**
 * Nobody lists the positions of an owner. But each change of a pool's liquidity that the position manager made
 * has the position's id as its salt, and the position says who owns it.
 */
async function findPositions(
  wallet: string,
  source: Source,
  signal: AbortSignal,
): Promise<readonly FoundTarget[] | string> {
  const changes = await askAll(
    KNOWN_POOLS.map(({ chainId, id }) => ({
      key: `${chainId}:${id}`,
      record: "v4_liquidity",
      chainId,
      id,
      limit: MOST_CHANGES,
      offset: 0,
    })),
    source,
    signal,
  );
  const trouble = unanswered(changes);
  if (trouble !== null) return trouble;
  const ids = new Map<string, Target>();
  for (const { chainId, id: pool } of KNOWN_POOLS) {
    for (const id of positionsIn(changes.get(`${chainId}:${pool}`))) {
      ids.set(`${chainId}:${id}`, target(chainId, id, { protocol: "dexa" }));
    }
  }
  const positions = await askAll(
    [...ids].map(([key, { chainId, id }]) => ({
      key,
      record: "v4_position",
      chainId,
      id,
      protocol: "dexa",
    })),
    source,
    signal,
  );
  const found = [...ids].flatMap(([key, one]): FoundTarget[] => {
    const record = recordOf(positions.get(key));
    const isTheirs = String(record?.owner_address).toLowerCase() === wallet;
    if (!isTheirs || (wholeNumber(record?.liquidity) ?? 0n) === 0n) return [];
    return [{ target: one, label: `position ${one.id} on ${chainName(one.chainId)}` }];
  });
  return found.length === 0
    ? `no open position of that wallet is among the newest changes of ${KNOWN_POOLS.length} well-known pools`
    : found;
}

/** A salt above this is no id: managers count up from 1. */
const HIGHEST_ID = 2n ** 64n;

function positionsIn(answer: Answer | undefined): readonly string[] {
  if (answer?.status !== "ok") return [];
  const ids = answer.records.flatMap(({ salt }) => {
    const isWord = typeof salt === "string" && /^0x[\da-f]{64}$/i.test(salt);
    const id = isWord ? BigInt(salt) : 0n;
    return id > 0n && id < HIGHEST_ID ? [String(id)] : [];
  });
  return [...new Set(ids)];
}

function wholeNumber(value: unknown): bigint | null {
  return typeof value === "string" && /^\d{1,80}$/.test(value) ? BigInt(value) : null;
}

/** Asks for all at once; what was not answered is left out of nothing but its own entry. */
async function askAll(
  asks: readonly Ask[],
  source: Source,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Answer>> {
  const answers = new Map<string, Answer>();
  await Promise.all(
    source.plan(asks).map(async (request) => {
      const got = await source.fetch(request, signal);
      for (const [index, ask] of request.asks.entries()) {
        const answer = got[index];
        if (answer !== undefined) answers.set(ask.key, answer);
      }
    }),
  );
  return answers;
}
