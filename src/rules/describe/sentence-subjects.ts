import { chainName } from "../../base/chains.ts";
import { cleanText, shortId, someNames } from "../../base/text.ts";
import { isChain, type KindWords, type Owner, type Rule, type Subject } from "../../model/index.ts";
import { splitLabel } from "./metric-words.ts";

/** So many subjects are named; the others are counted. */
const MOST_NAMES = 3;

/** Whom a sentence is about, and how it speaks of a value of theirs. */
export interface Who {
  /** `Treasury ETH/USDC`, `any of 2 chains (Ethereum, Polygon)`. */
  readonly name: string;
  /** The value called `label` when it is first spoken of: `the price of Treasury`. */
  first(label: string): string;
  /** The same later in the sentence: `its price`. */
  again(label: string): string;
}

/** Says whom a rule watches, in words that a sentence about it can begin with. */
export function whoOf(rule: Rule): Who {
  const { across, subjects, words, owners } = rule;
  if (across !== null) return togetherOf(rule, across);
  if (owners !== undefined) return valueOf(`any of the ${words.subjects} of ${ownersOf(owners)}`);
  const [only] = subjects;
  if (only !== undefined && subjects.length === 1) {
    const name = nameOf(only, words, true);
    if (isChain(only)) {
      return {
        name,
        first: (label) => `${name}'s ${label}`,
        again: (label) => `its ${label}`,
      };
    }
    return valueOf(name);
  }
  return valueOf(severalOf(subjects, words, "any of "));
}

function valueOf(name: string): Who {
  return {
    name,
    first: (label) => `${theLabel(label)} of ${name}`,
    again: (label) => `its ${label}`,
  };
}

const TOGETHER = { sum: "the sum of", min: "the lowest", max: "the highest" } as const;

function togetherOf({ subjects, words, owners }: Rule, across: NonNullable<Rule["across"]>): Who {
  const name =
    owners === undefined
      ? severalOf(subjects, words, "")
      : `all ${words.subjects} of ${ownersOf(owners)}`;
  const together = (label: string): string =>
    `${TOGETHER[across]} ${across === "sum" ? theLabel(label) : label}`;
  return {
    name,
    first: (label) => `${together(label)} of ${name}`,
    again: together,
  };
}

/** `the price`, `TVL`, `the number of holders`. */
function theLabel(label: string): string {
  return /^\p{Lu}{2}/u.test(label) ? label : `the ${label}`;
}

/** `4 positions (A, B, C and 1 more)`, `AUSD on 6 chains (…)`; `many` stands before the number. */
function severalOf(subjects: readonly Subject[], words: KindWords, many: string): string {
  const chains = new Set(subjects.map(({ chainId }) => chainId));
  const names = new Set(subjects.map((subject) => nameOf(subject, words, false)));
  const [shared = ""] = names;
  if (names.size === 1 && chains.size === subjects.length) {
    const places = someNames([...chains].map(chainName), MOST_NAMES);
    return `${shared} on ${many}${subjects.length} chains (${places})`;
  }
  const several = chains.size > 1;
  // What they are stands before the names.
  const items = someNames(
    subjects.map((one) => nameOf(one, words, several).replace(/^endpoint /, "")),
    MOST_NAMES,
  );
  return `${many}${subjects.length} ${words.subjects} (${items})`;
}

/** `0x111111…1111 on Ethereum`, `Treasury and Vault on Polygon`. */
function ownersOf(owners: readonly Owner[]): string {
  const chains = [...new Set(owners.map(({ chainId }) => chainName(chainId)))];
  const names = owners.map(({ name, address }) => cleanText(name ?? shortId(address)));
  return `${someNames([...new Set(names)], MOST_NAMES)} on ${someNames(chains, MOST_NAMES)}`;
}

/** A subject's name; with its chain where that is asked for, and where the name does not tell it. */
function nameOf(subject: Subject, words: KindWords, withChain: boolean): string {
  const { ids, chainId } = subject;
  const chain = chainName(chainId);
  if (isChain(subject)) return chain;
  const given = cleanText(subject.name ?? "");
  if (ids.endpoint !== undefined) return given || `endpoint ${cleanText(ids.endpoint)}`;
  const name = given || unnamed(ids);
  const isPlain = given !== "" && words.nameTellsChain === true;
  return withChain && !isPlain && !name.includes(chain) ? `${name} on ${chain}` : name;
}

function unnamed(ids: Subject["ids"]): string {
  const { pool, nft, wallet, owner, spender, token, to, function: called } = ids;
  const of = (id: string): string => cleanText(shortId(id));
  if (pool !== undefined) return `pool ${of(pool)}`;
  if (nft !== undefined) return `position #${of(nft)}`;
  if (to !== undefined) return `${cleanText(called?.split("(")[0] ?? "")}() of ${of(to)}`;
  if (owner !== undefined) {
    return `${of(owner)} for ${of(spender ?? "")} (token ${of(token ?? "")})`;
  }
  if (wallet !== undefined && token === undefined) return `account ${of(wallet)}`;
  if (wallet !== undefined) return `${of(wallet)} (token ${of(token ?? "")})`;
  return `token ${of(token ?? "")}`;
}

/** A metric's label as a noun in the singular where there is one: `number of holders`. */
export function nounOf(label: string, quantity: string): string {
  const counted = quantity === "count" || /^ticks\b/.test(label);
  return counted ? `number of ${label}` : label;
}

/** Whether a verb after the noun stands in the plural: `lifetime fees`. */
export function isPlural(noun: string): boolean {
  const { what } = splitLabel(noun);
  return !what.startsWith("number of ") && /(?:fees|tokens)$/.test(what.split(" of ")[0] ?? "");
}
