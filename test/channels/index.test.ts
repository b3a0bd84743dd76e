import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CHANNELS } from "../../src/channels/index.ts";

const folder = new URL("../../src/channels/", import.meta.url);

/** What looks like a channel kind in any file of the folder. */
async function kindsInFolder(): Promise<string[]> {
  const kinds: string[] = [];
  for (const file of readdirSync(folder)) {
    if (!file.endsWith(".ts") || file === "index.ts") continue;
    const module = (await import(new URL(file, folder).href)) as Record<string, unknown>;
    for (const value of Object.values(module)) {
      if (typeof value !== "object" || value === null) continue;
      if (!("kind" in value && "settings" in value && "open" in value)) continue;
      expect(`${String(value.kind)}.ts`).toBe(file);
      kinds.push(String(value.kind));
    }
  }
  return kinds;
}

describe("the registry of channels", () => {
  it("holds every kind of the folder, by its own word", async () => {
    expect([...CHANNELS.keys()].toSorted()).toEqual((await kindsInFolder()).toSorted());
    for (const [word, kind] of CHANNELS) expect(kind.kind).toBe(word);
  });
});
