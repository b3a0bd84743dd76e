import { describe, expect, it } from "vitest";
import { CHANNELS } from "../../src/channels/index.ts";
import { configSchema, rulesSchema } from "../../src/config/json-schema.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { runTickwatch } from "./test-command.ts";

describe("schema", () => {
  it.each([
    [[], rulesSchema(KINDS)],
    [["rules"], rulesSchema(KINDS)],
    [["config"], configSchema(CHANNELS)],
  ])("%j prints it as JSON, whole", async (args, schema) => {
    const { code, out, err } = await runTickwatch(["schema", ...args]);
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toEqual(schema);
  });

  it("knows no other file", async () => {
    const { code, out, err } = await runTickwatch(["schema", "ruels"]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("rules, config");
  });
});
