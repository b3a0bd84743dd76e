import type { Secret } from "./secret.ts";

const REDACTED = "[redacted]";
/** A shorter text is part of ordinary words; nobody's key is as short. */
const SHORTEST = 4;
/** A path as short as this is a place on a server, not a key. */
const SHORTEST_PATH = 8;

/**
 * A function that takes the secrets, and every form of them that programs print, out of one line
 * of JSON. The line stays JSON with the same keys and numbers.
 */
export function lineRedactor(secrets: readonly Secret[]): (line: string) => string {
  const forms = secretForms(secrets);
  if (forms.length === 0) return (line) => line;
  // A line of JSON shows some characters of a secret escaped.
  const written = [...new Set(forms.flatMap((form) => [form, JSON.stringify(form).slice(1, -1)]))];
  return (line) => {
    if (!written.some((form) => line.includes(form))) return line;
    return `${JSON.stringify(redactValue(JSON.parse(line), forms))}\n`;
  };
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
  const paths = [url.href, url.pathname + url.search, url.pathname, url.search].filter(
    (path) => path.length >= SHORTEST_PATH,
  );
  const { password } = url;
  return [...paths, password, decoded(password)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
