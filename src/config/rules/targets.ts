import { ENDPOINTS, type EndpointSpec } from "../../api/endpoints.ts";
import { isMap } from "../../base/json.ts";
import { nearest } from "../../base/nearest.ts";
import { alternatives, kindOf } from "../../base/settings.ts";
import type { WatchKind } from "../../kinds/kind.ts";
import type { Owner, Subject } from "../../model/index.ts";
import {
  errorAt,
  type Path,
  type Report,
  shown,
  warningAt,
  wrongType,
} from "../../rules/finding.ts";
import { lintChecksum } from "../../rules/lint/checksum.ts";
import { unknownKey } from "../files/shape.ts";
import { type Addresses, needsAddress } from "../settings/addresses.ts";
import { WATCH_SYNONYMS } from "../synonyms.ts";
import { type Account, accountName, combinations, readAccounts } from "./accounts.ts";
import { type Deposited, readDeposited } from "./deposited.ts";
import { entriesOf, idTrouble, type TargetContext } from "./entries.ts";
import type { Entry } from "./lists.ts";
import { readOptions } from "./options.ts";
import { hasOwner, readOwners } from "./owners.ts";
import { CHAIN, readChains, readDecimals, readName, readProtocol } from "./target-keys.ts";

type Raw = Readonly<Record<string, unknown>>;

/** What a rule watches: its subjects in the order of the text, each once. */
export interface Targets {
  readonly subjects: readonly Subject[];
  /** The decimals of raw units by subject key, as far as the rule gives them. */
  readonly decimals: ReadonlyMap<string, number>;
  /** Whose positions it watches; none: it names its subjects. */
  readonly owners: readonly Owner[];
}

/** Where a target takes what it does not say itself: from the watch. Null: not there, or wrong. */
interface Shared {
  readonly chains: readonly number[] | null;
  readonly protocol: string | null;
  readonly decimals: number | null;
  /** Each combination of an account of each key; one of none where the kind has no such keys. */
  readonly accounts: readonly (readonly Account[])[];
  readonly options: Readonly<Record<string, string>>;
  readonly deposited: Deposited | null;
}

/** Keys of a watch that belong to kinds that are not built yet. */
const NOT_BUILT: ReadonlySet<string> = new Set();

/** Reads the targets of a rule's `watch`. Everything that is wrong with them is reported. */
export function readTargets(
  raw: Raw,
  path: Path,
  kind: WatchKind,
  context: TargetContext,
  report: Report,
): Targets {
  const { key, protocols, accounts = [] } = kind.targets;
  const keys = [
    "kind",
    ...(key === "endpoints" ? [] : ["chain"]),
    ...(key === null ? [] : [key]),
    ...accounts,
    ...(kind.targets.owned === undefined ? [] : ["owner"]),
    ...(key === "token" ? ["decimals"] : []),
    ...(protocols === null ? [] : ["protocol"]),
    ...(kind.targets.deposits === true ? ["deposited"] : []),
    ...Object.keys(kind.targets.options ?? {}),
  ];
  const words = {
    what: `a ${kind.kind} watch`,
    keys,
    notBuilt: NOT_BUILT,
    synonyms: WATCH_SYNONYMS,
  };
  const misspelt = new Set<unknown>();
  for (const name of Object.keys(raw)) {
    if (keys.includes(name)) continue;
    const finding = unknownKey(name, [...path, name], words);
    misspelt.add(finding.hint.suggestion);
    report(finding);
  }
  const shared: Shared = {
    chains:
      "chain" in raw
        ? readChains(raw.chain, [...path, "chain"], kind, context.addresses, report)
        : null,
    protocol: "protocol" in raw ? readProtocol(raw, path, kind, report) : null,
    decimals: key === "token" ? readDecimals(raw.decimals, [...path, "decimals"], report) : null,
    accounts: combinations(
      accounts.map((name) => readAccounts(raw[name], name, [...path, name], context, report)),
    ),
    options: readOptions(raw, path, kind.targets, report),
    deposited:
      kind.targets.deposits === true
        ? readDeposited(raw.deposited, [...path, "deposited"], report)
        : null,
  };
  const reader = new TargetReader(
    kind,
    shared,
    (name) => name in raw || misspelt.has(name),
    context,
  );
  if (hasOwner(raw, kind)) {
    reader.owners = readOwners(raw, path, kind, shared, context, report);
  } else if (key === null) reader.chainsOnly(path, report);
  else if (key === "endpoints") reader.endpoints(raw.endpoints, [...path, key], report);
  else reader.items(raw[key], [...path, key], report);
  return reader;
}

class TargetReader implements Targets {
  readonly decimals = new Map<string, number>();
  owners: readonly Owner[] = [];
  readonly #subjects = new Map<string, Subject>();
  #items = 0;

  constructor(
    private readonly kind: WatchKind,
    private readonly shared: Shared,
    /** Whether the watch has a key, or one that was meant to be it, which was said. */
    private readonly says: (key: string) => boolean,
    private readonly context: TargetContext,
  ) {}

  get subjects(): readonly Subject[] {
    return [...this.#subjects.values()];
  }

  chainsOnly(path: Path, report: Report): void {
    if (!this.says("chain")) {
      report(errorAt("missing-key", path, `a ${this.kind.kind} watch needs a chain`, CHAIN));
    }
    for (const chainId of this.shared.chains ?? []) {
      const subject = this.kind.subject({
        chainId,
        id: null,
        protocol: null,
        name: null,
        options: this.shared.options,
      });
      this.#add(subject, null, [...path, "chain"], report);
    }
  }

  endpoints(raw: unknown, path: Path, report: Report): void {
    const { options } = this.shared;
    for (const one of readEndpoints(raw, path, this.context.addresses, report)) {
      const target = { chainId: 0, id: one.name, protocol: null, name: null, options };
      this.#add(this.kind.subject(target), null, one.path, report);
    }
  }

  items(raw: unknown, path: Path, report: Report): void {
    const { key, id } = this.kind.targets;
    const isOne = key === "token" || key === "wallet" || key === "to";
    const one = isOne ? "an id, or a list" : "a list";
    const expected = `${one} of ids, or of {id: …, name: …}; an id is ${id?.expected ?? "a name"}`;
    const entries = entriesOf(raw, path, isOne, expected, this.context, report);
    this.#items = entries.length;
    if (this.shared.deposited !== null && entries.length > 1) {
      const at = [...path.slice(0, -1), "deposited"];
      const message = `deposited is of one position, and the rule names ${entries.length}`;
      report(errorAt("misplaced-key", at, message, "it beside the id of each"));
    }
    for (const entry of entries) this.#item(entry, expected);
  }

  #item({ raw, path, report }: Entry, expected: string): void {
    const { kind, shared } = this;
    const item: unknown = typeof raw === "string" ? { id: raw } : raw;
    if (!isMap(item)) {
      report(wrongType(path, raw, expected));
      return;
    }
    const at = (key: string): Path => (typeof raw === "string" ? path : [...path, key]);
    const withProtocol = kind.targets.protocols !== null;
    const withDecimals = kind.targets.key === "token";
    const keys = [
      "id",
      "name",
      "chain",
      ...(withProtocol ? ["protocol"] : []),
      ...(withDecimals ? ["decimals"] : []),
      ...(kind.targets.deposits === true ? ["deposited"] : []),
    ];
    const words = { what: "a target", keys, notBuilt: NOT_BUILT, synonyms: WATCH_SYNONYMS };
    let misspelt = false;
    for (const key of Object.keys(item)) {
      if (keys.includes(key)) continue;
      const finding = unknownKey(key, [...path, key], words);
      misspelt ||= finding.hint.suggestion === "id";
      report(finding);
    }
    if (misspelt && !("id" in item)) return;
    const id = this.#id(item.id, at("id"), report);
    const name = readName(item.name, at("name"), report);
    const chains = this.#chains(item, path, report);
    const protocol = withProtocol ? this.#protocol(item, path, report) : null;
    const own = withDecimals ? readDecimals(item.decimals, at("decimals"), report) : null;
    const deposited =
      kind.targets.deposits === true && "deposited" in item
        ? readDeposited(item.deposited, at("deposited"), report)
        : shared.deposited;
    if (id === null || (withProtocol && protocol === null)) return;
    const decimals = own ?? shared.decimals;
    const { options } = shared;
    for (const accounts of shared.accounts) {
      const whose = Object.fromEntries(accounts.map((account) => [account.key, account.id]));
      const called = accountName(accounts, { id, name }, this.#items > 1);
      for (const chainId of chains) {
        const target = { chainId, id, protocol, name: called, options, deposited, ...whose };
        this.#add(kind.subject(target), decimals, path, report);
      }
    }
  }

  #id(raw: unknown, path: Path, report: Report): string | null {
    const { targets } = this.kind;
    const trouble = idTrouble(raw, targets);
    if (trouble !== null) {
      report(errorAt("bad-id", path, trouble, targets.id?.expected ?? "an id"));
      return null;
    }
    lintChecksum(raw, path, report);
    return typeof raw === "string" ? raw.toLowerCase() : null;
  }

  #chains(item: Raw, path: Path, report: Report): readonly number[] {
    if ("chain" in item) {
      return (
        readChains(item.chain, [...path, "chain"], this.kind, this.context.addresses, report) ?? []
      );
    }
    if (!this.says("chain")) {
      report(
        errorAt("missing-key", path, "the target has no chain, and its watch has none", CHAIN),
      );
    }
    return this.shared.chains ?? [];
  }

  #protocol(item: Raw, path: Path, report: Report): string | null {
    if ("protocol" in item) return readProtocol(item, path, this.kind, report);
    if (!this.says("protocol")) {
      const expected = alternatives(this.kind.targets.protocols ?? []);
      const message = "the position has no protocol, and its watch has none";
      report(errorAt("missing-key", path, message, `protocol: ${expected}`));
    }
    return this.shared.protocol;
  }

  #add(subject: Subject, decimals: number | null, path: Path, report: Report): void {
    if (this.#subjects.has(subject.key)) {
      if ((this.decimals.get(subject.key) ?? null) !== decimals) {
        report(
          errorAt(
            "decimals-differ",
            path,
            "the rule names this token twice, with different decimals",
          ),
        );
        return;
      }
      report(
        warningAt("duplicate-target", path, "the rule names this target twice; it is watched once"),
      );
      return;
    }
    this.#subjects.set(subject.key, subject);
    if (decimals !== null) this.decimals.set(subject.key, decimals);
  }
}

const EXPECTED = { expected: "a list of endpoints such as [v4_pool, gas_hourly]" };

/** An endpoint of the service that a watch names, and where. */
export interface EndpointTarget {
  readonly name: string;
  readonly path: Path;
}

/**
 * Reads `endpoints` of a watch: those that it lists, each of which must be one that the service can
 * be asked for at its addresses; all of them if the key is not there.
 */
function readEndpoints(
  raw: unknown,
  path: Path,
  addresses: Addresses | undefined,
  report: Report,
): readonly EndpointTarget[] {
  const specs = new Map<string, EndpointSpec>(Object.entries(ENDPOINTS));
  const isServed = ({ base }: EndpointSpec): boolean => addresses?.has(base) ?? base !== "rpc";
  if (raw === undefined) {
    return [...specs].flatMap(([name, spec]) => (isServed(spec) ? [{ name, path }] : []));
  }
  if (!Array.isArray(raw) || raw.length === 0) {
    const what = Array.isArray(raw)
      ? "is empty"
      : raw === null
        ? "has no value"
        : `is ${kindOf(raw)}`;
    report(errorAt("empty", path, `${what}: the rule would watch nothing`, EXPECTED));
    return [];
  }
  const items: readonly unknown[] = raw;
  return items.flatMap((item, i) => {
    const at = [...path, i];
    const spec = typeof item === "string" ? specs.get(item) : undefined;
    if (typeof item !== "string" || spec === undefined) {
      const what = typeof item === "string" ? shown(item) : kindOf(item);
      const near = typeof item === "string" ? nearest(item, specs.keys()) : null;
      const hint = { ...EXPECTED, suggestion: near };
      report(errorAt("unknown-word", at, `unknown endpoint ${what}`, hint));
      return [];
    }
    if (!isServed(spec)) {
      report(needsAddress(`the endpoint ${item}`, spec, at));
      return [];
    }
    return [{ name: item, path: at }];
  });
}
