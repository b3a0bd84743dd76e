import { Secret } from "../../src/base/secret.ts";
import { parseRules } from "../../src/config/rules/rules.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { Setup } from "../../src/model/index.ts";
import { loadTemplates } from "../../src/notices/template/library.ts";

await loadTemplates();

const MINUTE = 60_000;

/** A configuration with two channels, console and slack, for rules in YAML. */
export function setupOf(yaml: string, watches = KINDS): Setup {
  const { rules } = parseRules(yaml, "rules.yaml", {
    watches,
    channels: ["console", "slack"],
    addresses: new Set(["base_url", "legacy_base_url"]),
  });
  return {
    service: {
      baseUrl: "http://127.0.0.1:1",
      legacyBaseUrl: null,
      apiKey: new Secret("key"),
      timeoutMs: 10_000,
      concurrency: 8,
      requestsPerSecond: 1_000,
    },
    rules,
    channels: [
      { name: "console", kind: "console", settings: {}, timezone: "UTC" },
      { name: "slack", kind: "slack", settings: {}, timezone: "UTC" },
    ],
    store: ":memory:",
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
