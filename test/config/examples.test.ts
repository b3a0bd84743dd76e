import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ZodObject } from "zod";
import { ENDPOINTS, ENDPOINTS_OF } from "../../src/api/endpoints.ts";
import { CHANNELS } from "../../src/channels/index.ts";
import { CONFIG, DEFAULTS, LOG, SERVICE } from "../../src/config/settings/config-keys.ts";
import { loadSetup } from "../../src/config/settings/load.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { needsNode } from "../support/of-nodes.ts";

const EXAMPLE = "config.example.yaml";
const VALUES: Readonly<Record<string, string>> = {
  SLACK_URL: "https://hooks.slack.com/services/x",
  DISCORD_URL: "https://discord.com/api/webhooks/1/x",
  TELEGRAM_TOKEN: "123456:ABC-DEF1234",
  SMTP_URL: "smtp://user:password@mail.example.org",
  TICKWATCH_WALL: "w".repeat(20),
};

/** Each variable that a text names, with a value of the right kind. */
function variablesOf(text: string): Record<string, string> {
  const names = [...text.matchAll(/\$\{env:(\w+)\}/g)].map((match) => match[1] ?? "");
  const other = (name: string): string =>
    name.endsWith("_URL") ? "https://alerts.example.org/hook" : "k".repeat(20);
  return Object.fromEntries(names.map((name) => [name, VALUES[name] ?? other(name)]));
}

/** The example with the keys that it only shows as comments. */
async function wholeExample(): Promise<string> {
  const text = await readFile(EXAMPLE, "utf8");
  return text.replaceAll(/^(\s+)# (\w+: .* # )/gm, "$1$2");
}

function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function keysOf(value: unknown): readonly string[] {
  return Object.keys(mapOf(value)).toSorted();
}

describe("the examples", () => {
  it("pass without a warning once their variables are set", async () => {
    const { setup, warnings } = await loadSetup(EXAMPLE, {
      env: variablesOf(await readFile(EXAMPLE, "utf8")),
      watches: KINDS,
      channels: CHANNELS,
    });
    expect(warnings).toEqual([]);
    // The other kinds need the earlier family, which few have, or a node.
    const current = [...KINDS.values()].filter(
      ({ records }) =>
        records.length > 0 &&
        !needsNode({ records }) &&
        records.every((record) => ENDPOINTS[ENDPOINTS_OF[record][0]].family === "current"),
    );
    const shown = new Set(setup.rules.map(({ kind }) => kind));
    expect(current.map(({ kind }) => kind).filter((kind) => !shown.has(kind))).toEqual([]);
    expect(new Set(setup.channels.map(({ kind }) => kind))).toEqual(new Set(CHANNELS.keys()));
  });

  it("pass with the keys that stand there as comments, too", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tickwatch-example-"));
    try {
      const text = (await wholeExample()).replace("rules/*.yaml", resolve("rules/*.yaml"));
      const config = join(folder, "config.yaml");
      await writeFile(config, text);
      await writeFile(join(folder, "ca.pem"), "-----BEGIN CERTIFICATE-----\n");
      const env = variablesOf(text);
      const { warnings } = await loadSetup(config, { env, watches: KINDS, channels: CHANNELS });
      expect(warnings).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("name every key that there is, and no other", async () => {
    const example = mapOf(parse(await wholeExample()));
    const channels = Object.values(mapOf(example.channels)).map(mapOf);
    // Several daemons need another store than the example's: it names the document.
    expect(keysOf(example)).toEqual(keysOf(CONFIG.shape).filter((key) => key !== "cluster"));
    expect(await wholeExample()).toContain("docs/cluster.md");
    // Nodes take the place of the others: the example names the document that has their keys.
    const others = keysOf(SERVICE.shape).filter((key) => key !== "rpc");
    expect(keysOf(example.service)).toEqual(others);
    expect(await wholeExample()).toContain("docs/node.md");
    expect(keysOf(example.defaults)).toEqual(keysOf(DEFAULTS.shape));
    expect(keysOf(example.log)).toEqual(keysOf(LOG.shape));
    expect(channels.filter((channel) => "timezone" in channel)).toHaveLength(1);
    for (const { kind, settings } of CHANNELS.values()) {
      const shape = settings instanceof ZodObject ? settings.shape : {};
      const written = channels.find((channel) => channel.kind === kind);
      // A key of any channel is shown at one of them.
      const { timezone: _, ...own } = mapOf(written);
      expect([kind, keysOf(own)]).toEqual([kind, keysOf({ kind, ...shape })]);
    }
  });

  it("say in a comment what each key is", async () => {
    const lines = (await wholeExample()).split("\n").filter((line) => /^\s*[\w-]+:/.test(line));
    // Below a heading each key has its own, and what is below `headers` are the user's names.
    const heading = /^(?:service|defaults|log|\s+[\w-]+):$|^\s+Authorization:/;
    const bare = lines.filter((line) => !heading.test(line) && !/ # \S/.test(line));
    expect(bare).toEqual([]);
  });
});
