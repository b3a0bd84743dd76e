import { chainName } from "../base/chains.ts";
import { cleanText } from "../base/text.ts";
import type { Subject } from "../model/index.ts";

/**
 * The names of subjects that are shown beside each other: those that would read alike say their
 * chain as well, `AUSD on Polygon`.
 */
export function labelsApart(
  subjects: readonly { readonly subject: Pick<Subject, "chainId">; readonly label: string }[],
): readonly string[] {
  const counts = new Map<string, number>();
  for (const { label } of subjects) counts.set(label, (counts.get(label) ?? 0) + 1);
  return subjects.map(({ label, subject }) => {
    const name = cleanText(label);
    return (counts.get(label) ?? 0) > 1 ? `${name} on ${chainName(subject.chainId)}` : name;
  });
}
