import { Liquid, LiquidError, type Template, toValueSync } from "liquidjs";
import { cleanText } from "../../base/text.ts";
import { exactIn, type Facts } from "./exact.ts";
import {
  CLOCK_FAULT,
  ClockError,
  clockReadings,
  registerDateFilters,
  registerExactFilters,
} from "./filters.ts";
import { MeteredEmitter, MOST_WORK, meter, meteredContext, meteredOperators } from "./work.ts";

/**
 * Titles and notes with facts in them: Liquid, with exact numbers and without anything that reads
 * files, the clock or chance, so that the same facts make the same text. Loaded through `library.ts`.
 */

/** Without these a template can only speak of its facts. */
const NO_TAGS = ["include", "render", "layout", "block"] as const;
/** One is chance, and one may take a time that grows with the square of a text. */
const NO_FILTERS = ["sample", "strip_html"] as const;

/** Characters of a template; one of a few lines needs a few hundredths of this and of the work. */
const LONGEST = 10_000;

const TOO_MUCH = "it takes too much work: it loops too often or grows too long";

const liquid = createLiquid();

function createLiquid(): Liquid {
  const engine = new Liquid({
    parseLimit: LONGEST,
    memoryLimit: MOST_WORK,
    operators: meteredOperators(),
    // Otherwise partials would be looked for in the working directory.
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: false,
    // Of the machine neither its zone nor its language is in a text.
    timezoneOffset: 0,
    locale: "en-US",
  });
  for (const tag of NO_TAGS) Reflect.deleteProperty(engine.tags, tag);
  for (const filter of NO_FILTERS) Reflect.deleteProperty(engine.filters, filter);
  registerExactFilters(engine);
  registerDateFilters(engine);
  meter(engine);
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
  let parsed: Template[];
  try {
    parsed = liquid.parse(text);
  } catch (error) {
    return faultOf(error);
  }
  const [reading] = clockReadings(text);
  if (reading !== undefined) return { message: CLOCK_FAULT, ...placeOf(text, reading) };
  try {
    render(parsed, {});
    return null;
  } catch (error) {
    // What else is wrong without facts may be right with them.
    return isHopeless(error) ? faultOf(error) : null;
  }
}

function render(parsed: Template[], facts: Facts): string {
  const context = meteredContext(liquid, exactIn(facts));
  const emitter = new MeteredEmitter(context);
  toValueSync(liquid.renderer.renderTemplates(parsed, context, emitter));
  return emitter.buffer;
}

function isHopeless(error: unknown): boolean {
  if (!(error instanceof LiquidError)) return true;
  return error.originalError instanceof ClockError || isTooMuch(error);
}

function isTooMuch({ message }: Error): boolean {
  return message.includes("limit exceeded");
}

function placeOf(text: string, index: number): { line: number; column: number } {
  const lines = text.slice(0, index).split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
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
    return cleanText(render(liquid.parse(text), facts), limit);
  } catch (error) {
    return cleanText(`(this text could not be rendered: ${faultOf(error).message})`, limit);
  }
}

function faultOf(error: unknown): TemplateFault {
  if (!(error instanceof LiquidError)) return { message: String(error), line: 1, column: 1 };
  const [line = 1, column = 1] = error.token?.getPosition() ?? [];
  if (isTooMuch(error)) return { message: TOO_MUCH, line, column };
  // The library adds file, line and column, which we tell in our own way.
  const [message = ""] = error.message.split(/,? (?:file:|line:)/);
  const said = message.replace(/, $/, "").replace(/^undefined filter:/, "unknown filter:");
  return { message: cleanText(said, 200), line, column };
}
