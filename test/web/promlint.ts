/** The metrics of an exposition in Prometheus' text format, as far as the lint looks at them. */
interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labels: ReadonlySet<string>;
}

/** Units that are not the base units of their kind, and their short forms. */
const UNITS =
  /(^|_)(milli|micro|nano|kilo|mega|giga)(seconds|bytes|grams|meters|metres)?(_|$)|(^|_)(minutes|hours|days|weeks|kelvin|kelvins|fahrenheit|percents?|bits|s|ms|us|ns|sec|secs|min|mins|b|kb|mb|gb|pct)(_|$)/;
const TYPES = /(^|_)(counter|gauge|histogram|summary|untyped)(_|$)/;
const CAMEL = /[a-z][A-Z]/;

/**
 * What `promtool check metrics` faults, one line each: the rules of Prometheus' lint, written down here
 * since promtool itself weighs 50 MB. It was run beside this on the same text.
 */
export function promlint(text: string): string[] {
  const found: string[] = [];
  const families = familiesOf(text, found);
  for (const family of families) {
    const { name, help, type, labels } = family;
    const fault = (what: string): void => void found.push(`${name} ${what}`);
    if (help.trim() === "") fault("has no help text");
    if (!["counter", "gauge", "histogram", "summary"].includes(type)) fault("has no type");
    if (type === "counter" && !name.endsWith("_total"))
      fault("is a counter and does not end in _total");
    if (type !== "counter" && name.endsWith("_total")) fault("ends in _total and is no counter");
    if (/_(bucket|sum|count)$/.test(name)) fault("ends as the parts of a histogram or summary do");
    if (TYPES.test(name)) fault("names its type");
    if (name.includes(":")) fault("holds a colon, which is for recording rules");
    if (CAMEL.test(name)) fault("is in camelCase");
    if (UNITS.test(name)) fault("is not in base units");
    if (labels.has("le") && type !== "histogram") fault("has a label le and is no histogram");
    if (labels.has("quantile") && type !== "summary")
      fault("has a label quantile and is no summary");
    for (const label of labels) if (CAMEL.test(label)) fault(`has the label ${label} in camelCase`);
  }
  const names = families.map(({ name }) => name);
  for (const name of new Set(names)) {
    if (names.filter((other) => other === name).length > 1) found.push(`${name} comes twice`);
  }
  return found;
}

function familiesOf(text: string, found: string[]): Family[] {
  if (!text.endsWith("\n")) found.push("the last line does not end");
  const families: { name: string; help: string; type: string; labels: Set<string> }[] = [];
  for (const line of text.split("\n")) {
    const help = /^# HELP (\S+) ?(.*)$/.exec(line);
    const type = /^# TYPE (\S+) (\S+)$/.exec(line);
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
    const current = families.at(-1);
    if (help !== null) {
      families.push({ name: help[1] ?? "", help: help[2] ?? "", type: "", labels: new Set() });
    } else if (type !== null && current !== undefined && current.name === type[1]) {
      current.type = type[2] ?? "";
    } else if (sample !== null && current !== undefined) {
      const [, name = "", labels = "", value] = sample;
      const own =
        name === current.name || (current.type === "histogram" && name.startsWith(current.name));
      if (!own) found.push(`${name} has no HELP and TYPE before it`);
      if (Number.isNaN(Number(value)) && !/^[+-]?Inf$|^NaN$/.test(value ?? ""))
        found.push(`${name} has no number`);
      for (const [, label = ""] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g))
        current.labels.add(label);
    } else if (line !== "") found.push(`cannot be read: ${line}`);
  }
  return families;
}
