import { chainName } from "../../base/chains.ts";
import { isMap } from "../../base/json.ts";
import { shortId } from "../../base/text.ts";
import type { Place } from "../../model/index.ts";
import { errorAt, type Path } from "../../rules/finding.ts";
import type { Document } from "../files/document.ts";
import type { Targets } from "./targets.ts";

interface Said {
  readonly decimals: number;
  readonly place: Place;
}

/** The decimals that rules and references give for tokens: a token has the same ones wherever it is named. */
export class TokenDecimals {
  /** By chain and address. */
  readonly #said = new Map<string, Said>();

  /** Reports the tokens of a `watch` at `path` whose decimals are others elsewhere. */
  check({ subjects, decimals }: Targets, watch: unknown, path: Path, document: Document): void {
    if (decimals.size === 0 || !isMap(watch)) return;
    const at = [...path, "decimals" in watch ? "decimals" : "token"];
    let place: Place | null = null;
    for (const { key, chainId, ids } of subjects) {
      const given = decimals.get(key);
      if (given === undefined || ids.token === undefined) continue;
      const token = `${chainId}:${ids.token}`;
      const first = this.#said.get(token);
      if (first === undefined) {
        place ??= document.place(at);
        this.#said.set(token, { decimals: given, place });
      } else if (first.decimals !== given) {
        const { file, line } = first.place;
        const name = `${shortId(ids.token)} on ${chainName(chainId)}`;
        const message = `the token ${name} has ${given} decimals here, and ${first.decimals} in ${file}:${line}`;
        const expected = "the decimals that the token has, in both places";
        document.report(
          errorAt("decimals-differ", ownPath(watch, ids.token, path) ?? at, message, expected),
        );
      }
    }
  }
}

/** Where a token says its decimals itself; null: it has those of the watch. */
function ownPath(watch: Readonly<Record<string, unknown>>, token: string, path: Path): Path | null {
  const items: readonly unknown[] = Array.isArray(watch.token) ? watch.token : [watch.token];
  const i = items.findIndex(
    (item) =>
      isMap(item) &&
      "decimals" in item &&
      typeof item.id === "string" &&
      item.id.toLowerCase() === token,
  );
  if (i < 0) return null;
  return Array.isArray(watch.token)
    ? [...path, "token", i, "decimals"]
    : [...path, "token", "decimals"];
}
