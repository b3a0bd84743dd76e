import { Liquid, LiquidError } from "liquidjs";
import { cleanText } from "../../base/text.ts";
import { exactIn, type Facts } from "./exact.ts";
import { registerExactFilters } from "./filters.ts";

/**
 * Titles and notes with facts in them: Liquid, with exact numbers and without anything that reads
 * files, the clock or chance, so that the same facts make the same text. Loaded through `library.ts`.
 */

/** Without these a template can only speak of its facts. */
const NO_TAGS = ["include", "render", "layout", "block"] as const;
const NO_FILTERS = ["sample"] as const;

/** A template of a few lines needs a few hundredths of these. */
const LIMITS = { parseLimit: 20_000, renderLimit: 100, memoryLimit: 1_000_000 } as const;

const liquid = createLiquid();

function createLiquid(): Liquid {
  const engine = new Liquid({
    ...LIMITS,
    // Otherwise partials would be looked for in the working directory.
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: false,
    timezoneOffset: 0,
  });
  for (const tag of NO_TAGS) Reflect.deleteProperty(engine.tags, tag);
  for (const filter of NO_FILTERS) Reflect.deleteProperty(engine.filters, filter);
  registerExactFilters(engine);
  const { date } = engine.filters;
  if (typeof date === "function") {
    engine.registerFilter("date", function (value: unknown, ...rest: unknown[]): unknown {
      if (value === "now" || value === "today") throw new Error("date takes a time of the notice");
      const written: unknown = date.call(this, value, ...rest);
      return written;
    });
  }
  return engine;
}

/** What is wrong with a template; `line` and `column` count from 1 within its text. */
export interface TemplateFault {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** Null when it can be rendered, as far as one can tell without the facts. */
export function checkTemplate(text: string): TemplateFault | null {
  try {
    liquid.parse(text);
    return null;
  } catch (error) {
    return faultOf(error);
  }
}

/** The facts that a template names, such as `range.price`, in its own order, each once. */
export function templateNames(text: string): readonly string[] {
  return [...new Set(liquid.globalFullVariablesSync(text))];
}

/**
 * The text with its facts, one line of at most `limit` characters; a Decimal among them has all its
 * digits. A template that fails on its facts says so in its own place: what happened must be told in
 * any case.
 */
export function renderTemplate(text: string, facts: Facts, limit: number): string {
  try {
    const rendered: unknown = liquid.parseAndRenderSync(text, exactIn(facts));
    return cleanText(String(rendered), limit);
  } catch (error) {
    return cleanText(`(this text could not be made: ${faultOf(error).message})`, limit);
  }
}

function faultOf(error: unknown): TemplateFault {
  if (!(error instanceof LiquidError)) return { message: String(error), line: 1, column: 1 };
  const [line = 1, column = 1] = error.token?.getPosition() ?? [];
  // The library adds file, line and column, which we tell in our own way.
  const [message = ""] = error.message.split(/,? (?:file:|line:)/);
  return { message: cleanText(message.replace(/, $/, ""), 200), line, column };
}
