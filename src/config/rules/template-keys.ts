import { nearest } from "../../base/nearest.ts";
import { isTemplate, templates } from "../../notices/template/library.ts";
import { TEMPLATE_FACTS } from "../../notices/template-facts.ts";
import { errorAt, type Path, type Report, shown, warningAt } from "../../rules/finding.ts";

/** What a template may name below a fact, where the rule itself decides it. */
export interface TemplateContext {
  readonly labels: Readonly<Record<string, string>>;
  /** Those of the kind. */
  readonly metrics: readonly string[];
}

/**
 * Reports what is wrong with the title or note of a rule, and names in it that are no facts. Throws Error
 * for a template while `loadTemplates` has not resolved: a rule must not be watched unchecked.
 */
export function checkText(
  text: string | undefined,
  path: Path,
  context: TemplateContext,
  report: Report,
): void {
  if (text === undefined || !isTemplate(text)) return;
  const library = templates();
  if (library === null) throw new Error("a template is read before the library of templates");
  const fault = library.checkTemplate(text);
  if (fault !== null) {
    const place = fault.line === 1 ? "" : `line ${fault.line}, `;
    const message = `the template has a mistake at ${place}character ${fault.column}: ${fault.message}`;
    report(errorAt("bad-template", path, message, "such as {{ value }} or {{ range.price }}"));
    return;
  }
  for (const name of library.templateNames(text)) {
    const unknown = unknownPart(name, context);
    if (unknown === null) continue;
    const { what, known } = unknown;
    const near = nearest(what, new Set(known));
    const hint = { expected: known.length === 0 ? "none" : known.join(", ") };
    report(
      warningAt(
        "unknown-fact",
        path,
        `notices have no ${shown(name)}: it stays empty`,
        near === null ? hint : { ...hint, suggestion: name.replace(what, near) },
      ),
    );
  }
}

function unknownPart(
  name: string,
  { labels, metrics }: TemplateContext,
): { readonly what: string; readonly known: readonly string[] } | null {
  const [first = "", second] = name.split(".");
  const facts = Object.keys(TEMPLATE_FACTS);
  if (!facts.includes(first)) return { what: first, known: facts };
  if (second === undefined) return null;
  const known = partsOf(first, Object.keys(labels), metrics);
  return known === null || known.includes(second) ? null : { what: second, known };
}

/** Null: it has no parts that are known beforehand. */
function partsOf(
  fact: string,
  labels: readonly string[],
  metrics: readonly string[],
): readonly string[] | null {
  if (fact === "labels") return labels;
  if (fact === "metrics") return metrics;
  const named = [...(TEMPLATE_FACTS[fact] ?? "").matchAll(/`(\w+)\.(\w+)`/g)];
  const parts = named.filter(([, of]) => of === fact).map(([, , part]) => part ?? "");
  return parts.length === 0 ? null : parts;
}
