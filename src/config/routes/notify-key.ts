import { meantList } from "../../base/meant-list.ts";
import { nearest } from "../../base/nearest.ts";
import { kindOf, someOf } from "../../base/settings.ts";
import { errorAt, type Path, type Report, warningAt } from "../../rules/finding.ts";
import { shown } from "../../rules/quantity-error.ts";

/**
 * Reads `notify`: names of channels, each once; all of them where a rule does not say it. `who` is
 * warned of when it tells nobody; of rules that is checked when all of them are read.
 */
export function readNotify(
  raw: unknown,
  path: Path,
  channels: readonly string[],
  report: Report,
  who: string | null = null,
): readonly string[] {
  if (raw === undefined) return [...channels];
  const expected = channels.length === 0 ? "a configured channel" : someOf(channels);
  const items: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  if (items.length === 0 && who !== null) report(warningAt(path, `${who} tells nobody`));
  const names = new Set<string>();
  for (const [i, item] of items.entries()) {
    const at = Array.isArray(raw) ? [...path, i] : path;
    if (typeof item !== "string" || item === "") {
      report(errorAt(at, item === null ? "has no value" : `is ${kindOf(item)}`, { expected }));
    } else if (channels.includes(item)) names.add(item);
    else {
      const near = meantList(item, (one) => channels.includes(one)) ?? nearest(item, channels);
      const hint = near === null ? { expected } : { expected, suggestion: near };
      report(errorAt(at, `${shown(item)} is no channel`, hint));
    }
  }
  return [...names];
}
