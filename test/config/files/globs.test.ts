import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expandGlob, GlobError, matches } from "../../../src/config/files/globs.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-globs-"));
  await mkdir(join(folder, "a/b/c"), { recursive: true });
  await mkdir(join(folder, ".git"));
  for (const name of ["x.yaml", "y.yml", "a/x.yaml", "a/b/z.yaml", "a/b/c/x.yaml", ".git/x.yaml"]) {
    await writeFile(join(folder, name), "");
  }
  await symlink(join(folder, "x.yaml"), join(folder, "link.yaml"));
  await symlink(folder, join(folder, "a/loop"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const found = async (pattern: string) =>
  (await expandGlob(pattern, folder)).map((path) => path.replace(`${folder}/`, ""));

describe("a pattern", () => {
  it.each([
    ["x.yaml", ["x.yaml"]],
    ["*.yaml", ["link.yaml", "x.yaml"]],
    ["?.y*", ["x.yaml", "y.yml"]],
    ["a/*/z.yaml", ["a/b/z.yaml"]],
    ["**/x.yaml", ["a/b/c/x.yaml", "a/x.yaml", "x.yaml"]],
    ["a/**/*.yaml", ["a/b/c/x.yaml", "a/b/z.yaml", "a/x.yaml"]],
    ["**/**/z.yaml", ["a/b/z.yaml"]],
    [".git/*.yaml", [".git/x.yaml"]],
    ["a/../x.yaml", ["x.yaml"]],
    ["a", []],
    ["nope/*", []],
  ])("%s", async (pattern, expected) => {
    expect(await found(pattern)).toEqual(expected);
  });

  it("may be absolute", async () => {
    expect(await found(`${folder}/a/*.yaml`)).toEqual(["a/x.yaml"]);
  });

  it.each(["{a,b}.yaml", "[ab].yaml", "!a.yaml", "a\\b"])("%s is refused", async (pattern) => {
    await expect(expandGlob(pattern, folder)).rejects.toBeInstanceOf(GlobError);
  });
});

it("matches names without ever searching for long", () => {
  expect(matches("abc", "a*c")).toBe(true);
  expect(matches("abc", "a?c")).toBe(true);
  expect(matches("🔥c", "?c")).toBe(true);
  expect(matches("abcd", "a*c")).toBe(false);
  expect(matches("", "*")).toBe(true);
  expect(matches(".a", "*")).toBe(false);
  expect(matches("a".repeat(255), `${"*a".repeat(100)}b`)).toBe(false);
});
