import { chainById } from "../../base/chains.ts";
import { decimalFromInteger } from "../../base/decimal.ts";
import type { Subject, Value } from "../../model/index.ts";
import type { Entry } from "../kind.ts";
import type { Holder } from "./top-list.ts";
import { missingOf } from "./whole-list.ts";

/** Who left, with what they held and where they stood last; then who entered, the largest first. */
export function changesOf(
  before: readonly Holder[],
  now: readonly Holder[],
  { subject, date }: { readonly subject: Subject; readonly date: number },
): readonly Entry[] {
  const explorer = chainById(subject.chainId)?.explorer;
  const entry = (list: readonly Holder[], index: number, entered: boolean): Entry => {
    const holder = list[index];
    const wallet = holder?.wallet ?? "";
    const values: Readonly<Record<string, Value | null>> = {
      entered,
      left: !entered,
      wallet,
      balance: holder?.balance ?? null,
      rank: decimalFromInteger(index + 1),
    };
    return {
      // The same wallet may come and go again.
      id: `${date}:${entered ? "entered" : "left"}:${wallet}`,
      at: null,
      value: (name) => values[name] ?? null,
      link: explorer === undefined ? null : `${explorer}/address/${wallet}`,
    };
  };
  const missing = (from: readonly Holder[], of: readonly Holder[]): number[] =>
    missingOf(from, of).map((one) => from.indexOf(one));
  return [
    ...missing(before, now).map((i) => entry(before, i, false)),
    ...missing(now, before).map((i) => entry(now, i, true)),
  ];
}
