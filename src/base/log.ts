import type { Writable } from "node:stream";
import { pino } from "pino";
import { cleanText, type Secret } from "./text.ts";

export type Log = pino.Logger;

export interface LogOptions {
  /** `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. */
  readonly level: string;
  /** Where lines go; standard error unless told otherwise. */
  readonly stream?: Pick<Writable, "write">;
  /** One readable line an event instead of JSON. */
  readonly pretty?: boolean;
  readonly colours?: boolean;
  /** What must never be printed, in whatever field or message it comes. */
  readonly secrets?: readonly Secret[];
}

/**
 * A logger of one line an event: JSON with `time` (RFC 3339, milliseconds), `level`, `msg` and the
 * event's fields, or text for a terminal. Errors in the fields `err` and `error` are told by
 * message, code and cause; their stacks only at the levels debug and trace.
 * Throws an Error for an unknown level.
 */
export function createLogger(options: LogOptions): Log {
  const { level, stream = process.stderr, pretty = false, colours = false, secrets = [] } = options;
  const redactor = new LineRedactor(secrets);
  const write = (line: string): void => {
    const clean = redactor.clean(line);
    stream.write(pretty ? `${readable(clean, colours)}\n` : clean);
  };
  const stacks = level === "debug" || level === "trace";
  const error = (value: unknown): unknown => describeError(value, stacks);
  const children: WeakRef<Log>[] = [];
  const log = pino(
    {
      level,
      onChild: (child) => void children.push(new WeakRef(child)),
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: error, error },
    },
    { write },
  );
  MADE.set(log, { children, redactor });
  return log;
}

interface Made {
  /** The loggers that were made of it, which have levels of their own. */
  readonly children: WeakRef<Log>[];
  readonly redactor: LineRedactor;
}

const MADE = new WeakMap<Log, Made>();

/**
 * Another level for a logger and all that were made of it, and further secrets that must not be printed.
 * Throws an Error for an unknown level.
 */
export function adjustLogger(log: Log, level: string, secrets: readonly Secret[]): void {
  log.level = level;
  const made = MADE.get(log);
  if (made === undefined) return;
  made.redactor.add(secrets);
  const living = made.children.splice(0).filter((child) => child.deref() !== undefined);
  for (const child of living) {
    const one = child.deref();
    if (one !== undefined) one.level = level;
  }
  made.children.push(...living);
}

/** Causes may lead in a circle; nobody reads further than this. */
const DEEPEST_CAUSE = 5;

function describeError(value: unknown, stacks: boolean, depth = 0): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  const code: unknown = "code" in value ? value.code : undefined;
  return {
    name,
    message,
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    ...(stacks ? { stack } : {}),
    ...(cause === undefined || depth >= DEEPEST_CAUSE
      ? {}
      : { cause: describeError(cause, stacks, depth + 1) }),
  };
}

const LEVELS: Readonly<Record<string, { readonly word: string; readonly colour: number }>> = {
  trace: { word: "TRACE", colour: 90 },
  debug: { word: "DEBUG", colour: 90 },
  info: { word: "INFO ", colour: 32 },
  warn: { word: "WARN ", colour: 33 },
  error: { word: "ERROR", colour: 31 },
  fatal: { word: "FATAL", colour: 31 },
};

/** A longer value says nothing more on a terminal. */
const LONGEST_VALUE = 300;

/** `14:03:07.512 INFO  round done  requests=2 subjects=31`. */
function readable(line: string, colours: boolean): string {
  const event = parseEvent(line);
  const { time = "", level = "", msg = "", ...fields } = event;
  const paint = (text: string, colour: number): string =>
    colours ? `\u001b[${colour}m${text}\u001b[0m` : text;
  const known = LEVELS[String(level)] ?? { word: String(level).toUpperCase(), colour: 0 };
  const details = Object.entries(fields).map(
    ([name, value]) => `${paint(`${cleanText(name)}=`, 90)}${readableValue(value)}`,
  );
  const clock = String(time).slice(11, 23);
  const message = cleanText(String(msg), LONGEST_VALUE);
  const words = [paint(clock, 90), paint(known.word, known.colour), message, ...details];
  return words.filter((word) => word !== "").join(" ");
}

function parseEvent(line: string): Readonly<Record<string, unknown>> {
  const event: unknown = JSON.parse(line);
  return typeof event === "object" && event !== null ? { ...event } : {};
}

function readableValue(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(readableError(value));
  const clean = cleanText(text, LONGEST_VALUE);
  return typeof value === "string" && /[\s"=]|^$/.test(clean) ? JSON.stringify(clean) : clean;
}

/** An error as one sentence: message, code, and what caused it. */
function readableError(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("message" in value)) return value;
  const { message } = value;
  const code = "code" in value ? ` (${String(value.code)})` : "";
  const cause = "cause" in value ? `: ${String(readableError(value.cause))}` : "";
  return `${String(message)}${code}${cause}`;
}

const REDACTED = "[redacted]";
/** A shorter text is part of ordinary words; nobody's key is as short. */
const SHORTEST = 4;
/** A path as short as this is a place on a server, not a key. */
const SHORTEST_PATH = 8;

/**
 * Takes secrets, and every form of them that programs print, out of lines of JSON. A line stays JSON with the
 * same keys and numbers.
 */
export class LineRedactor {
  readonly #secrets = new Map<string, Secret>();
  #forms: readonly string[] = [];
  /** Beside the forms those that a line of JSON shows escaped. */
  #written: readonly string[] = [];

  constructor(secrets: readonly Secret[] = []) {
    this.add(secrets);
  }

  /** These are taken out from now on, beside those that were given before. */
  add(secrets: readonly Secret[]): void {
    const fresh = secrets.filter((one) => !this.#secrets.has(one.reveal()));
    if (fresh.length === 0) return;
    for (const one of fresh) this.#secrets.set(one.reveal(), one);
    this.#forms = secretForms([...this.#secrets.values()]);
    this.#written = [
      ...new Set(this.#forms.flatMap((form) => [form, JSON.stringify(form).slice(1, -1)])),
    ];
  }

  /** Of words that are no JSON. */
  cleanWords(words: string): string {
    return redactText(words, this.#forms);
  }

  clean(line: string): string {
    if (!this.#written.some((form) => line.includes(form))) return line;
    return `${JSON.stringify(redactValue(JSON.parse(line), this.#forms))}\n`;
  }
}

function redactValue(value: unknown, forms: readonly string[]): unknown {
  if (typeof value === "string") return redactText(value, forms);
  if (typeof value === "number") {
    return forms.some((form) => String(value).includes(form)) ? REDACTED : value;
  }
  if (Array.isArray(value)) return value.map((item) => redactValue(item, forms));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redactText(key, forms), redactValue(item, forms)]),
  );
}

function redactText(text: string, forms: readonly string[]): string {
  return forms.reduce((clean, form) => clean.replaceAll(form, REDACTED), text);
}

/** The secret itself, its parts if it is a URL, and each percent-encoded; the longest first. */
function secretForms(secrets: readonly Secret[]): readonly string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    const value = secret.reveal();
    for (const part of [value, ...urlParts(value)]) {
      if (part.length < SHORTEST) continue;
      forms.add(part);
      forms.add(encodeURIComponent(part.toWellFormed()));
    }
  }
  return [...forms].toSorted((a, b) => b.length - a.length);
}

/** What opens the door in a URL: the path of a webhook, the user and password of a mail server. */
function urlParts(value: string): readonly string[] {
  if (!URL.canParse(value)) return [];
  const url = new URL(value);
  const { password } = url;
  // The path names a database, such as postgres, which is in ordinary words as well.
  if (/^postgres(?:ql)?:$/.test(url.protocol)) return [url.href, password, decoded(password)];
  const paths = [url.href, url.pathname + url.search, url.pathname, url.search].filter(
    (path) => path.length >= SHORTEST_PATH,
  );
  return [...paths, password, decoded(password)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
