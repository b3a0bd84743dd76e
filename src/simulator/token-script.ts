import { raw } from "./listed-token.ts";
import { blend } from "./noise.ts";

/** What a script makes happen to the stablecoin; `at` counts milliseconds from the market's start. */
export type TokenEvent = MintEvent | TransferEvent | SellEvent | HoldersEvent;

/** In the first block from `at` on, so many whole tokens are minted; burnt, if below zero. */
interface MintEvent {
  readonly kind: "mint";
  readonly chain: number;
  readonly amount: number;
  readonly at: number;
}

/**
 * In the first block from `at` on, a listed wallet receives so many whole tokens from wallets that
 * are not listed; it sends them there, if below zero. The supply stays as it is.
 */
interface TransferEvent {
  readonly kind: "transfer";
  readonly chain: number;
  /** In lower case. */
  readonly wallet: string;
  readonly amount: number;
  readonly at: number;
}

/**
 * In the first block from `at` on, a wallet gives all that it holds to exchanges, and is a holder no
 * more, unless something is transferred to it later. Simulated wallets can be named as well
 * (`middleWallets`).
 */
interface SellEvent {
  readonly kind: "sell";
  readonly chain: number;
  /** In lower case. */
  readonly wallet: string;
  readonly at: number;
}

/** Between `at` and `at + over` (ms) the number of holders goes to `factor` times. */
interface HoldersEvent {
  readonly kind: "holders";
  readonly chain: number;
  readonly factor: number;
  readonly at: number;
  readonly over: number;
}

/** What a script must know of the listed amounts, in raw units; undefined: not listed. */
export interface KnownTokens {
  supply(chain: number): bigint | undefined;
  balance(chain: number, wallet: string): bigint | undefined;
  /** Whether a wallet that is simulated holds some of it all the time. */
  simulated(chain: number, wallet: string): boolean;
}

/** What is impossible about an event by itself; null: nothing. */
export function tokenProblem(event: TokenEvent, known: KnownTokens): string | null {
  if (known.supply(event.chain) === undefined) return `no token on chain ${event.chain}`;
  if (event.kind === "holders") {
    if (!Number.isFinite(event.factor) || event.factor <= 0) return "`factor` must be above zero";
    const fits = Number.isFinite(event.over) && event.over >= 0;
    return fits ? null : "`over` must be zero or more milliseconds";
  }
  const { chain } = event;
  if (event.kind === "sell") {
    const there =
      known.balance(chain, event.wallet) !== undefined || known.simulated(chain, event.wallet);
    return there ? null : `no wallet ${event.wallet} on chain ${chain}`;
  }
  if (!Number.isSafeInteger(event.amount) || event.amount === 0) {
    return "`amount` must be a whole number of tokens, and not zero";
  }
  if (event.kind === "mint" || known.balance(chain, event.wallet) !== undefined) return null;
  return `no wallet ${event.wallet} on chain ${chain}`;
}

/**
 * Whether an event goes too far together with those of the script up to its time; null if it does
 * not. Amounts wander by themselves, but never near to half: within these bounds nobody holds less
 * than nothing, and the listed wallets together never more than the supply.
 */
export function tokenExcess(
  event: TokenEvent,
  script: readonly TokenEvent[],
  known: KnownTokens,
): string | null {
  const { kind, chain, at } = event;
  const supply = known.supply(chain) ?? 0n;
  if (kind === "holders" || kind === "sell") return null;
  if (kind === "mint") {
    const fits = 2n * mintedRaw(script, chain, at) >= -supply;
    return fits ? null : "`amount` burns more than half of the listed supply";
  }
  const { sold, moved } = movesOf(script, chain, event.wallet, at);
  const least = sold ? 0n : -(known.balance(chain, event.wallet) ?? 0n);
  if (2n * moved < least) {
    return sold
      ? "`amount` takes what the wallet has sold"
      : "`amount` takes more than half of the listed balance";
  }
  let received = 0n;
  for (const other of script) {
    if (other.kind !== "transfer" || other.chain !== chain || other.at > at) continue;
    if (other.amount > 0) received += raw(other.amount);
  }
  return 4n * received <= supply ? null : "`amount` moves more than a quarter of the listed supply";
}

/** What the script has minted on a chain, less what it has burnt, `t` ms after start; raw units. */
export function mintedRaw(script: readonly TokenEvent[], chain: number, t: number): bigint {
  let sum = 0n;
  for (const event of script) {
    if (event.kind === "mint" && event.chain === chain && t >= event.at) sum += raw(event.amount);
  }
  return sum;
}

/** What a wallet has in raw units that would have `own` without the script: never below zero. */
export function scriptedBalance(
  script: readonly TokenEvent[],
  chain: number,
  wallet: string,
  own: bigint,
  t: number,
): bigint {
  const { sold, moved } = movesOf(script, chain, wallet, t);
  return sold ? moved : own + moved;
}

/** Whether a wallet has sold all by `t`, and what was moved into it (less what was out) since. */
function movesOf(
  script: readonly TokenEvent[],
  chain: number,
  wallet: string,
  t: number,
): { readonly sold: boolean; readonly moved: bigint } {
  let since = Number.NEGATIVE_INFINITY;
  for (const event of script) {
    if (event.kind !== "sell" || event.chain !== chain || event.wallet !== wallet) continue;
    if (t >= event.at) since = Math.max(since, event.at);
  }
  let moved = 0n;
  for (const event of script) {
    if (event.kind !== "transfer" || event.chain !== chain || event.wallet !== wallet) continue;
    if (t >= event.at && event.at > since) moved += raw(event.amount);
  }
  return { sold: since !== Number.NEGATIVE_INFINITY, moved };
}

/** What the script multiplies a chain's number of holders by. */
export function scriptedHolders(script: readonly TokenEvent[], chain: number, t: number): number {
  let sum = 0;
  for (const event of script) {
    if (event.kind !== "holders" || event.chain !== chain || t < event.at) continue;
    sum += Math.log(event.factor) * (event.over === 0 ? 1 : blend((t - event.at) / event.over));
  }
  return Math.exp(sum);
}
