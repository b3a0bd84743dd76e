import { CHAINS, chainByAlias } from "../base/chains.ts";
import { nearest } from "../base/nearest.ts";
import { alternatives, kindOf } from "../base/settings.ts";
import { cleanText } from "../base/text.ts";
import { errorAt, errorAtKey, type Path, type Report, warningAt } from "../engine/finding.ts";
import { shown } from "../engine/quantity-error.ts";
import type { Subject } from "../model.ts";
import type { WatchKind } from "../watches/watch.ts";
import { idTrouble } from "./ids.ts";
import { isMap, unknownKey } from "./shape.ts";

type Raw = Readonly<Record<string, unknown>>;

/** Where a target takes what it does not say itself: from the watch. Null: not there, or wrong. */
interface Shared {
  readonly chains: readonly number[] | null;
  readonly protocol: string | null;
}

/** Keys of a watch that belong to kinds that are not built yet. */
const NOT_BUILT: ReadonlySet<string> = new Set(["token", "wallet", "decimals", "top", "invert"]);

/**
 * The subjects that a rule's `watch` means, in the order of the text and each once. Everything that
 * is wrong with its targets is reported.
 */
export function readTargets(
  raw: Raw,
  path: Path,
  kind: WatchKind,
  report: Report,
): readonly Subject[] {
  const { key, protocols } = kind.targets;
  const keys = [
    "kind",
    "chain",
    ...(key === null ? [] : [key]),
    ...(protocols === null ? [] : ["protocol"]),
  ];
  const words = { what: `a ${kind.kind} watch`, keys, notBuilt: NOT_BUILT };
  for (const name of Object.keys(raw)) {
    if (!keys.includes(name)) report(unknownKey(name, [...path, name], words));
  }
  const shared: Shared = {
    chains: "chain" in raw ? readChains(raw.chain, [...path, "chain"], report) : null,
    protocol: "protocol" in raw ? readProtocol(raw, path, kind, report) : null,
  };
  const reader = new TargetReader(kind, shared, { ...raw }, report);
  if (key === null) reader.chainsOnly(path);
  else reader.items(raw[key], [...path, key]);
  return reader.subjects;
}

class TargetReader {
  readonly #subjects = new Map<string, Subject>();

  constructor(
    private readonly kind: WatchKind,
    private readonly shared: Shared,
    private readonly watch: Raw,
    private readonly report: Report,
  ) {}

  get subjects(): readonly Subject[] {
    return [...this.#subjects.values()];
  }

  chainsOnly(path: Path): void {
    if (!("chain" in this.watch)) {
      this.report(errorAt(path, `a ${this.kind.kind} watch needs a chain`, CHAIN));
    }
    this.#add(this.shared.chains ?? [], { id: null, protocol: null, name: null }, [
      ...path,
      "chain",
    ]);
  }

  items(raw: unknown, path: Path): void {
    const { key, id } = this.kind.targets;
    const expected = `a list of ids, or of {id: …, name: …}; an id is ${id?.expected ?? "a name"}`;
    if (isMap(raw) && "list" in raw) {
      this.report(errorAt(path, "lists of targets are not built yet in this version"));
    } else if (!Array.isArray(raw)) {
      const what =
        raw === undefined ? "is missing" : raw === null ? "has no value" : `is ${kindOf(raw)}`;
      this.report(errorAt(path, `${key ?? ""} ${what}`, { expected }));
    } else if (raw.length === 0) {
      this.report(errorAt(path, "is empty: the rule would watch nothing", { expected }));
    } else {
      const items: readonly unknown[] = raw;
      for (const [i, item] of items.entries()) this.#item(item, [...path, i], expected);
    }
  }

  #item(raw: unknown, path: Path, expected: string): void {
    const { kind, report } = this;
    if (isMap(raw) && "list" in raw) {
      report(errorAt(path, "lists of targets are not built yet in this version"));
      return;
    }
    const item: unknown = typeof raw === "string" ? { id: raw } : raw;
    if (!isMap(item)) {
      report(errorAt(path, raw === null ? "has no value" : `is ${kindOf(raw)}`, { expected }));
      return;
    }
    const at = (key: string): Path => (typeof raw === "string" ? path : [...path, key]);
    const withProtocol = kind.targets.protocols !== null;
    const keys = ["id", "name", "chain", ...(withProtocol ? ["protocol"] : [])];
    const words = { what: "a target", keys, notBuilt: NOT_BUILT };
    for (const key of Object.keys(item)) {
      if (!keys.includes(key)) report(unknownKey(key, [...path, key], words));
    }
    const id = this.#id(item.id, at("id"));
    const name = readName(item.name, at("name"), report);
    const chains = this.#chains(item, path);
    const protocol = withProtocol ? this.#protocol(item, path) : null;
    if (id === null || (withProtocol && protocol === null)) return;
    this.#add(chains, { id, protocol, name }, path);
  }

  #id(raw: unknown, path: Path): string | null {
    const { targets } = this.kind;
    const trouble = idTrouble(raw, targets);
    if (trouble !== null) {
      this.report(errorAt(path, trouble, { expected: targets.id?.expected ?? "an id" }));
      return null;
    }
    return typeof raw === "string" ? raw.toLowerCase() : null;
  }

  #chains(item: Raw, path: Path): readonly number[] {
    if ("chain" in item) return readChains(item.chain, [...path, "chain"], this.report) ?? [];
    if (!("chain" in this.watch)) {
      this.report(errorAt(path, "the target names no chain, and neither does its watch", CHAIN));
    }
    return this.shared.chains ?? [];
  }

  #protocol(item: Raw, path: Path): string | null {
    if ("protocol" in item) return readProtocol(item, path, this.kind, this.report);
    if (!("protocol" in this.watch)) {
      const expected = alternatives(this.kind.targets.protocols ?? []);
      const message = "the position names no protocol, and neither does its watch";
      this.report(errorAt(path, message, { expected: `protocol: ${expected}` }));
    }
    return this.shared.protocol;
  }

  #add(
    chains: readonly number[],
    target: { id: string | null; protocol: string | null; name: string | null },
    path: Path,
  ): void {
    for (const chainId of chains) {
      const subject = this.kind.subject({ chainId, ...target });
      if (this.#subjects.has(subject.key)) {
        this.report(warningAt(path, "the rule names this target twice; it is watched once"));
      } else this.#subjects.set(subject.key, subject);
    }
  }
}

const CHAIN = { expected: "chain: a name such as ethereum, or a number" };

function readChains(raw: unknown, path: Path, report: Report): readonly number[] | null {
  const items: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  if (items.length === 0) report(errorAt(path, "is empty: the rule would watch nothing", CHAIN));
  const chains = items.map((item, i) =>
    readChain(item, Array.isArray(raw) ? [...path, i] : path, report),
  );
  const good = chains.filter((chain) => chain !== null);
  return good.length > 0 ? good : null;
}

function readChain(raw: unknown, path: Path, report: Report): number | null {
  const text = typeof raw === "number" ? String(raw) : raw;
  if (typeof text !== "string" || text === "") {
    report(errorAt(path, text === null ? "has no value" : `is ${kindOf(text)}`, CHAIN));
    return null;
  }
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  const known = chainByAlias(text);
  if (known !== undefined) return known.id;
  const near = nearest(
    text,
    CHAINS.map((chain) => chain.alias),
  );
  const expected = "a name such as ethereum, or a number";
  report(
    errorAt(
      path,
      `${shown(text)} is no chain`,
      near === null ? { expected } : { expected, suggestion: near },
    ),
  );
  return null;
}

function readProtocol(raw: Raw, path: Path, kind: WatchKind, report: Report): string | null {
  const protocols = kind.targets.protocols;
  // An unknown key was reported already.
  if (protocols === null) return null;
  const { protocol } = raw;
  const text = typeof protocol === "string" ? protocol.toLowerCase() : "";
  if (protocols.includes(text)) return text;
  const near = nearest(text, protocols);
  const message =
    typeof protocol === "string" ? `${shown(protocol)} is no protocol` : "has no value";
  const hint = {
    expected: alternatives(protocols),
    ...(near === null ? {} : { suggestion: near }),
  };
  const at = [...path, "protocol"];
  report(
    typeof protocol === "string" || protocol === null
      ? errorAt(at, message, hint)
      : errorAtKey(at, "is no text", hint),
  );
  return null;
}

function readName(raw: unknown, path: Path, report: Report): string | null {
  if (raw === undefined) return null;
  const name = typeof raw === "string" ? cleanText(raw) : "";
  if (name !== "") return name;
  const message = typeof raw === "string" ? "has no visible character" : "is no text";
  report(errorAt(path, raw === null ? "has no value" : message, { expected: "a name for people" }));
  return null;
}
