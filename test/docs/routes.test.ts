import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { WINDOW } from "../../src/config/routes/mute-keys.ts";
import { MATCH, ROUTE } from "../../src/config/routes/route-keys.ts";
import { STEP_KEYS } from "../../src/replay/read-case.ts";

const read = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");

/** The names in the first cells of the table whose head begins with these words. */
function keysOf(text: string, head: string): string[] {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.startsWith(`| ${head} `));
  expect(first).toBeGreaterThan(0);
  const end = lines.findIndex((line, i) => i > first && !line.startsWith("|"));
  return lines
    .slice(first + 2, end)
    .flatMap((line) =>
      Array.from((line.split("|")[1] ?? "").matchAll(/`([^`]+)`/g), ([, key]) => key ?? ""),
    )
    .toSorted();
}

describe("docs/routes.md", () => {
  const text = read("routes.md");

  it("has every key of a route, of what it matches and of a window, and no other", () => {
    expect(keysOf(text, "key of a route")).toEqual(Object.keys(ROUTE.shape).toSorted());
    expect(keysOf(text, "key of `match`")).toEqual(Object.keys(MATCH.shape).toSorted());
    expect(keysOf(text, "key of a window")).toEqual(Object.keys(WINDOW.shape).toSorted());
  });
});

describe("the steps of docs/testing.md", () => {
  it("are all that there are", () => {
    const steps = keysOf(read("testing.md"), "step | what happens");
    const keys = steps.flatMap((step) => Array.from(step.matchAll(/(\w+):/g), ([, key]) => key));
    expect(new Set([...keys, "subject"])).toEqual(new Set(STEP_KEYS));
  });
});
