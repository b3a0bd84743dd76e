import { isMap } from "../../base/json.ts";
import { nearest } from "../../base/nearest.ts";
import { kindOf, someOf } from "../../base/settings.ts";
import {
  errorAt,
  errorAtKey,
  type Path,
  type Report,
  shown,
  warningAtKey,
  wrongType,
} from "../../rules/finding.ts";
import type { Document } from "../files/document.ts";

/** One target of a watch: where it stands, and who hears what is wrong with it there. */
export interface Entry {
  readonly raw: unknown;
  readonly path: Path;
  readonly report: Report;
}

interface TargetList {
  readonly items: readonly unknown[];
  readonly path: Path;
  readonly document: Document;
}

const EXPECTED = { expected: "a list of targets such as [{id: 42, chain: ethereum}]" };

/** The `lists` of all rules files: every file may use those of every other. */
export class Lists {
  #names: readonly string[] = [];
  readonly #lists = new Map<string, TargetList>();
  readonly #used = new Set<string>();
  #whole = true;

  /** A file with lists cannot be read: names that are not found may be in there. */
  missSome(): void {
    this.#whole = false;
  }

  /** Takes what stands under `lists` in a file; the targets are read once a rule uses them. */
  collect(raw: unknown, document: Document): void {
    const top: Path = ["lists"];
    if (!isMap(raw)) {
      const expected = "names with a list of targets below each";
      document.report(wrongType(top, raw, expected));
      this.missSome();
      return;
    }
    for (const [name, items] of Object.entries(raw)) {
      const path = [...top, name];
      const first = this.#lists.get(name);
      if (first !== undefined) {
        const { file, line } = first.document.place(first.path, "key");
        const message = `a list ${shown(name)} is already used, in ${file}:${line}`;
        document.report(errorAtKey("duplicate-name", path, message));
      } else this.#lists.set(name, { items: itemsOf(items, path, document), path, document });
    }
  }

  /**
   * The entries of the list that `{list: NAME}` at `path` names; `user` tells in a message which
   * rule uses them. Reports a name that is none.
   */
  entries(
    raw: Readonly<Record<string, unknown>>,
    path: Path,
    user: string,
    report: Report,
  ): readonly Entry[] {
    const other = Object.keys(raw).find((key) => key !== "list");
    if (other !== undefined) {
      const expected = "{list: NAME} alone";
      report(
        errorAtKey("key-conflict", [...path, other], `${other} cannot stand beside list`, expected),
      );
    }
    const name = raw.list;
    const list = typeof name === "string" ? this.#lists.get(name) : undefined;
    if (typeof name !== "string" || list === undefined) {
      this.#reportUnknown(name, [...path, "list"], report);
      return [];
    }
    this.#used.add(name);
    const { document } = list;
    return list.items.map((item, i) => ({
      raw: item,
      path: [...list.path, i],
      report: (finding) =>
        document.report(
          finding.level === "error"
            ? { ...finding, message: `${finding.message} (${user})` }
            : finding,
        ),
    }));
  }

  #reportUnknown(name: unknown, path: Path, report: Report): void {
    // The same list each time: it is searched again and again.
    if (this.#names.length !== this.#lists.size) this.#names = [...this.#lists.keys()];
    const names = this.#names;
    const expected = names.length === 0 ? "a name under lists: in a rules file" : someOf(names);
    if (typeof name !== "string" || name === "") {
      report(wrongType(path, name, expected));
      return;
    }
    if (!this.#whole) return;
    const near = nearest(name, names);
    const hint = { expected, suggestion: near };
    report(errorAt("unknown-list", path, `unknown list ${shown(name)}`, hint));
  }

  /** Warns of the lists that no rule uses. */
  reportUnused(): void {
    for (const [name, { path, document }] of this.#lists) {
      if (this.#used.has(name)) continue;
      document.report(warningAtKey("unused", path, `no rule uses the list ${shown(name)}`));
    }
  }
}

function itemsOf(raw: unknown, path: Path, document: Document): readonly unknown[] {
  if (Array.isArray(raw) && raw.length > 0) return raw;
  const what =
    raw === null ? "has no value" : Array.isArray(raw) ? "is empty" : `is ${kindOf(raw)}`;
  document.report(errorAt("wrong-type", path, what, EXPECTED));
  return [];
}
