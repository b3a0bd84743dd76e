import {
  CaptureTag,
  Context,
  defaultOperators,
  type Emitter,
  type Liquid,
  type Operators,
  toValue,
} from "liquidjs";

/**
 * How much work a template may do. It is counted and not timed, so that a text that can be made on one
 * machine can be made on any, however busy it is: a unit is a character that is written or read by a
 * filter, or an element of an array.
 */
export const MOST_WORK = 100_000;

/** A node, such as a tag or a piece of text, counts as so many units whatever is in it. */
const NODE = 20;

/** Some filters take as long as the square of a text; people are told a few hundred characters. */
const LONGEST_TEXT = 5_000;

/** What a template is rendered with: everything that grows with it is counted in one place. */
export function meteredContext(liquid: Liquid, facts: object): Context {
  const context = new Context(facts, liquid.options, { sync: true }, { liquid });
  // The library asks before each node whether there is time left.
  context.renderLimit.check = () => context.memoryLimit.use(NODE);
  return context;
}

/** Takes what is rendered, and counts its characters. */
export class MeteredEmitter implements Emitter {
  buffer = "";

  constructor(private readonly context: Context) {}

  write(value: unknown): void {
    const text = textOf(value);
    this.context.memoryLimit.use(text.length);
    this.buffer += text;
  }
}

/** Counts what a template keeps for later, and what filters take and make. */
export function meter(liquid: Liquid): void {
  liquid.registerTag("capture", MeteredCapture);
  for (const [name, filter] of Object.entries(liquid.filters)) {
    if (typeof filter !== "function") continue;
    // What is an expression is evaluated for each element.
    const each = name.endsWith("_exp") ? NODE : 1;
    liquid.registerFilter(name, function (value: unknown, ...rest: unknown[]): unknown {
      const { memoryLimit } = this.context;
      memoryLimit.use(NODE + each * sizeOf(value) + sizeOf(rest));
      const made: unknown = filter.call(this, value, ...rest);
      memoryLimit.use(sizeOf(made));
      return made;
    });
  }
}

/** The library's operators, which count what they compare. */
export function meteredOperators(): Operators {
  const { contains } = defaultOperators;
  return {
    ...defaultOperators,
    contains: (left: unknown, right: unknown, context) => {
      context.memoryLimit.use(sizeOf(left) + sizeOf(right));
      return contains?.(left, right, context) ?? false;
    },
  };
}

class MeteredCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    const emitter = new MeteredEmitter(context);
    yield this.liquid.renderer.renderTemplates(this.templates, context, emitter);
    Object.assign(context.bottom(), { [this.variable]: emitter.buffer });
  }
}

/** The characters of a text, and of an array with everything in it. Throws Error for a text that is too long. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") {
    // In the library's words, as if the work were done.
    if (value.length > LONGEST_TEXT) throw new Error("text limit exceeded");
    return value.length;
  }
  if (!Array.isArray(value)) return 1;
  return value.reduce((sum: number, element: unknown) => sum + 1 + sizeOf(element), 0);
}

/** A value as a template prints it. */
function textOf(value: unknown): string {
  const plain: unknown = toValue(value);
  if (typeof plain === "string") return plain;
  if (plain === undefined || plain === null) return "";
  if (Array.isArray(plain)) return plain.map(textOf).join("");
  return typeof plain === "number" || typeof plain === "boolean" ? String(plain) : "";
}
