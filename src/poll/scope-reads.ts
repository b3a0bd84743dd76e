import { type Ask, RECORD_NAMES, type ScopeRead } from "../model/index.ts";
import { scopeKey } from "./outages.ts";
import { type ChainTally, emptyTally, type RecordTally, type Tallies } from "./tally.ts";

type Scopes = Readonly<Record<string, ScopeRead>>;

/** As much of tallies as outages are judged by. Counts that say nothing more are left out, so that rounds are alike. */
export function scopesOf(tallies: Tallies): Scopes {
  const scopes: Record<string, ScopeRead> = {};
  for (const [record, { chains }] of tallies) {
    for (const [chainId, { answered, failed, refused, byKey, detail }] of chains) {
      scopes[scopeKey({ record, chainId })] = {
        answered: answered > 0,
        failed: failed > 0,
        refused: refused > 1 ? 2 : refused === 1 ? 1 : 0,
        byKey: byKey === failed + refused,
        detail,
      };
    }
  }
  return scopes;
}

/** Tallies that outages are judged by as by those that `scopesOf` was given; a key that it does not make is left out. */
export function talliesOf(scopes: Scopes): Tallies {
  const tallies = new Map<Ask["record"], RecordTally>();
  for (const [key, { answered, failed, refused, byKey, detail }] of Object.entries(scopes)) {
    const [record, chain] = key.split("@");
    const chainId = Number(chain);
    if (record === undefined || !isRecord(record) || !Number.isSafeInteger(chainId)) continue;
    const tally = tallies.get(record) ?? emptyTally();
    tallies.set(record, tally);
    const failures = failed ? 1 : 0;
    const one: ChainTally = {
      answered: answered ? 1 : 0,
      failed: failures,
      refused,
      byKey: byKey ? failures + refused : -1,
      detail,
    };
    tally.chains.set(chainId, one);
    tally.answered += one.answered;
    tally.failed += one.failed;
    tally.detail ??= detail;
  }
  return tallies;
}

function isRecord(text: string): text is Ask["record"] {
  return Object.hasOwn(RECORD_NAMES, text);
}
