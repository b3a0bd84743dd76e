import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { CHANNELS } from "../../src/channels/index.ts";
import { CONFIG, DEFAULTS, LOG, SERVICE } from "../../src/config/config-keys.ts";
import { loadSetup } from "../../src/config/load.ts";
import { WATCHES } from "../../src/watches/index.ts";

const EXAMPLE = "config.example.yaml";
const env = { TICKWATCH_API_KEY: "k".repeat(20), SLACK_URL: "https://hooks.slack.com/services/x" };

describe("the examples", () => {
  it("pass without a warning once their variables are set", async () => {
    const { setup, warnings } = await loadSetup(EXAMPLE, {
      env,
      watches: WATCHES,
      channels: CHANNELS,
    });
    expect(warnings).toEqual([]);
    expect(new Set(setup.rules.map(({ kind }) => kind))).toEqual(new Set(WATCHES.keys()));
    expect(new Set(setup.channels.map(({ kind }) => kind))).toEqual(new Set(CHANNELS.keys()));
  });

  it("name every key that there is, each with a comment", async () => {
    const text = await readFile(EXAMPLE, "utf8");
    const shapes = [CONFIG.shape, SERVICE.shape, DEFAULTS.shape, LOG.shape];
    for (const key of shapes.flatMap((shape) => Object.keys(shape))) {
      const line = text.split("\n").find((one) => one.trim().startsWith(`${key}:`));
      expect(line, key).toBeDefined();
      if (!["service", "defaults", "log"].includes(key)) expect(line, key).toMatch(/ # \S/);
    }
  });
});
