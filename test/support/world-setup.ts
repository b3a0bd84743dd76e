import { Secret } from "../../src/base/text.ts";
import { parseRules } from "../../src/config/rules/rules.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { Setup } from "../../src/model/index.ts";
import { loadTemplates } from "../../src/notices/template/library.ts";

await loadTemplates();

const MINUTE = 60_000;

/** The rules of the last texts: a world that restarts, or is compared with another one, reads one more than once. */
const parsed = new Map<
  string,
  { readonly watches: typeof KINDS; readonly rules: Setup["rules"] }
>();
const MOST_PARSED = 4;

function rulesOf(yaml: string, watches: typeof KINDS): Setup["rules"] {
  const known = parsed.get(yaml);
  if (known?.watches === watches) return known.rules;
  const { rules } = parseRules(yaml, "rules.yaml", {
    watches,
    channels: ["console", "slack"],
    addresses: new Set(["base_url", "legacy_base_url", "rpc"]),
  });
  const [oldest] = parsed.keys();
  if (parsed.size >= MOST_PARSED && oldest !== undefined) parsed.delete(oldest);
  parsed.set(yaml, { watches, rules });
  return rules;
}

/** A configuration with two channels, console and slack, for rules in YAML. */
export function setupOf(yaml: string, watches = KINDS): Setup {
  return {
    service: {
      baseUrl: "http://127.0.0.1:1",
      legacyBaseUrl: null,
      apiKey: new Secret("key"),
      timeoutMs: 10_000,
      concurrency: 8,
      requestsPerSecond: 1_000,
    },
    rules: rulesOf(yaml, watches),
    channels: [
      { name: "console", kind: "console", settings: {}, timezone: "UTC" },
      { name: "slack", kind: "slack", settings: {}, timezone: "UTC" },
    ],
    store: ":memory:",
    cluster: null,
    groupWaitMs: 0,
    heartbeat: null,
    web: null,
    selfNotify: ["console", "slack"],
    reports: [],
    retentionMs: 90 * 24 * 60 * MINUTE,
    logLevel: "silent",
    reload: "signal",
  };
}
