import type { z } from "zod";
import type { ChannelKind } from "../channels/channel.ts";
import type { WatchKind } from "../kinds/kind.ts";
import { WINDOW } from "./routes/mute-keys.ts";
import { MATCH, ROUTE } from "./routes/route-keys.ts";
import { ACROSS, oneOrMore, RULE } from "./rules/rule-keys.ts";
import {
  closed,
  conditionSchema,
  type JsonSchema,
  propertiesOf,
  QUANTITY,
  TEXT,
  watchSchema,
} from "./schema-watch.ts";
import { COMMON } from "./settings/channels.ts";
import { CLUSTER } from "./settings/cluster-keys.ts";
import {
  CONFIG,
  DEFAULTS,
  FLAPPING,
  HEARTBEAT,
  LOG,
  SELF,
  SERVICE,
} from "./settings/config-keys.ts";
import { REPORT } from "./settings/report-keys.ts";
import { RPC, RPC_CHAIN, RPC_CONTRACTS, RPC_USD } from "./settings/rpc-keys.ts";
import { WEB } from "./settings/web-keys.ts";

const DRAFT = "https://json-schema.org/draft/2020-12/schema";
const NAMES: JsonSchema = { anyOf: [TEXT, { type: "array", items: TEXT }] };

/**
 * The JSON Schema of a rules file, by which editors complete and check it. It is made of what reads
 * the files: keys, watch kinds and the metrics of each. It never refuses what `check` takes; units,
 * names of other rules and what keys say together are left to `check`.
 */
export function rulesSchema(watches: ReadonlyMap<string, WatchKind>): JsonSchema {
  const offered = [...watches.values()].filter(({ variantOf }) => variantOf === undefined);
  const defs: Record<string, JsonSchema> = {};
  for (const { kind } of offered) {
    const metrics = new Set(
      [...watches.values()]
        .filter((one) => one.kind === kind || one.variantOf === kind)
        .flatMap((one) => [...one.metrics.keys()]),
    );
    const name = `condition_${kind}`;
    defs[name] = conditionSchema([...metrics], `#/$defs/${name}`);
  }
  for (const kind of offered) defs[`watch_${kind.kind}`] = watchSchema(kind);
  defs.watch = byWord(
    "kind",
    offered.map(({ kind }) => [kind, `#/$defs/watch_${kind}`]),
  );
  defs.rule = ruleSchema(offered);
  const target = { anyOf: [TEXT, { type: "object" }] };
  return {
    $schema: DRAFT,
    title: "tickwatch rules",
    ...closed({
      rules: { type: "array", items: { $ref: "#/$defs/rule" } },
      lists: {
        type: "object",
        additionalProperties: { type: "array", items: target, minItems: 1 },
      },
      references: {
        type: "object",
        additionalProperties: closed(
          { watch: { $ref: "#/$defs/watch" }, across: { enum: ACROSS }, metric: TEXT },
          ["watch", "metric"],
        ),
      },
    }),
    $defs: defs,
  };
}

function ruleSchema(offered: readonly WatchKind[]): JsonSchema {
  const { properties } = propertiesOf(RULE);
  const base = closed(
    {
      ...properties,
      watch: { $ref: "#/$defs/watch" },
      when: { type: "object" },
      resolve_when: { type: "object" },
      notify: NAMES,
      worse_by: QUANTITY,
    },
    ["name", "watch", "when"],
  );
  // Which metrics there are depends on the kind of the watch.
  const allOf = offered.map(({ kind }) => {
    const condition = { $ref: `#/$defs/condition_${kind}` };
    const watched = { properties: { kind: { const: kind } }, required: ["kind"] };
    return implies(
      { properties: { watch: watched }, required: ["watch"] },
      { properties: { when: condition, resolve_when: condition } },
    );
  });
  return { ...base, allOf };
}

/** The JSON Schema of config.yaml; any value may come from elsewhere by `${env:…}` or `${file:…}`. */
export function configSchema(channels: ReadonlyMap<string, ChannelKind>): JsonSchema {
  const defs: Record<string, JsonSchema> = {
    reference: { type: "string", pattern: "\\$\\{(?:env|file):" },
  };
  for (const { kind, settings } of channels.values()) {
    const { properties, required } = propertiesOf(settings);
    defs[`channel_${kind}`] = closed(
      {
        kind: { const: kind },
        ...referable({ ...properties, ...propertiesOf(COMMON).properties }),
      },
      ["kind", ...required],
    );
  }
  const channel = byWord(
    "kind",
    [...channels.keys()].map((kind) => [kind, `#/$defs/channel_${kind}`]),
  );
  return {
    $schema: DRAFT,
    title: "tickwatch configuration",
    ...closed(
      {
        ...referable(propertiesOf(CONFIG).properties),
        service: {
          ...section(SERVICE, [], { rpc: rpcSchema() }),
          anyOf: [{ required: ["api_key"] }, { required: ["rpc"] }],
        },
        rules: oneOrMore({ type: "string" }),
        defaults: section(DEFAULTS),
        flapping: section(FLAPPING),
        channels: { type: "object", additionalProperties: channel, minProperties: 1 },
        routes: {
          type: "array",
          items: section(ROUTE, ["notify"], { match: section(MATCH), notify: NAMES }),
          minItems: 1,
        },
        mutes: {
          type: "object",
          additionalProperties: oneOrMore(section(WINDOW, ["from", "to"])),
        },
        self: section(SELF, [], { notify: NAMES }),
        cluster: section(CLUSTER),
        heartbeat: section(HEARTBEAT, ["url"]),
        reports: {
          type: "object",
          additionalProperties: section(REPORT, ["cron", "channels"], {
            rules: NAMES,
            channels: NAMES,
          }),
        },
        web: section(WEB, ["listen"], { hosts: { type: "array", items: { type: "string" } } }),
        log: section(LOG),
      },
      ["service", "rules", "channels"],
    ),
    $defs: defs,
  };
}

function rpcSchema(): JsonSchema {
  const list = oneOrMore(TEXT);
  const map: JsonSchema = { type: "object", additionalProperties: TEXT };
  const chain = section(RPC_CHAIN, ["urls"], {
    urls: list,
    holders: list,
    entries: { anyOf: [{ type: "integer", minimum: 0 }, TEXT] },
    usd: section(RPC_USD, [], { stable: list, feeds: map }),
    contracts: section(RPC_CONTRACTS),
  });
  const chains: JsonSchema = { type: "object", additionalProperties: chain, minProperties: 1 };
  return section(RPC, ["chains"], { chains });
}

function section(
  schema: z.ZodType,
  required: readonly string[] = [],
  own: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return closed({ ...referable(propertiesOf(schema).properties), ...own }, required);
}

/** Each of them, or what is put in its place when the file is read. */
function referable(
  properties: Readonly<Record<string, JsonSchema>>,
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => {
      const { description, ...rest } = schema;
      const words = description === undefined ? {} : { description };
      return [key, { anyOf: [rest, { $ref: "#/$defs/reference" }], ...words }];
    }),
  );
}

/** A map whose `key` is one of some words, each of which has a schema of its own. */
function byWord(key: string, words: readonly (readonly [string, string])[]): JsonSchema {
  return {
    type: "object",
    properties: { [key]: { enum: words.map(([word]) => word) } },
    required: [key],
    allOf: words.map(([word, $ref]) =>
      implies({ properties: { [key]: { const: word } }, required: [key] }, { $ref }),
    ),
  };
}

function implies(condition: JsonSchema, consequence: JsonSchema): JsonSchema {
  return { anyOf: [{ not: condition }, consequence] };
}
