import type { ChannelChoice } from "./channel-choices.ts";

/** What `tickwatch init` can write rules for. */
export const WATCHES = ["lp", "gas", "treasury", "pool", "holders"] as const;
export type Watch = (typeof WATCHES)[number];

/** Where the data comes from. */
export const DATA = ["service", "node", "simulator"] as const;

export type DataAnswer =
  | { readonly kind: "node" }
  | { readonly kind: "simulator"; readonly url: string }
  | { readonly kind: "service"; readonly url: string | null; readonly legacyUrl: string | null };

export const PROTOCOLS = ["dexa", "dexb"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** One thing to watch: a position, a pool, a token, or for gas only a chain. */
export interface Target {
  readonly chainId: number;
  /** As the user wrote it; empty for gas, and in a wallet for the chain's own currency. */
  readonly id: string;
  /** Null: it has no name, or none is known. */
  readonly name: string | null;
  /** Of a token, where they are known. */
  readonly decimals: number | null;
  /** Of a position. */
  readonly protocol: Protocol | null;
}

export interface Answers {
  readonly watch: Watch;
  readonly data: DataAnswer;
  /** One at least. */
  readonly targets: readonly Target[];
  /** The treasury's wallet, or that of all positions that are watched. */
  readonly wallet: string | null;
  readonly channel: ChannelChoice;
}

/** A rules file and the tests of its rules. */
export interface RulesFiles {
  readonly rules: string;
  readonly tests: string;
}

export function target(chainId: number, id: string, more: Partial<Target> = {}): Target {
  return { chainId, id, name: null, decimals: null, protocol: null, ...more };
}

/** Whether a pool's id is the address of a V3 pool. */
export function isV3(id: string): boolean {
  return id.length === 42;
}

/** The chains of targets, each once. */
export function chainsOf(targets: readonly Target[]): readonly number[] {
  return [...new Set(targets.map(({ chainId }) => chainId))];
}
