import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** What people and tools expect at the top, and nothing that slipped in beside it. */
const TOP = new Set([
  ".ci",
  ".dockerignore",
  ".github",
  ".gitignore",
  ".npmrc",
  ".oxlintrc.json",
  "bench",
  "biome.json",
  "CHANGELOG.md",
  "config.example.yaml",
  "CONTRIBUTING.md",
  "deploy",
  "Dockerfile",
  "docs",
  "knip.json",
  "LICENSE",
  "package-lock.json",
  "package.json",
  "README.md",
  "rules",
  "SECURITY.md",
  "src",
  "test",
  "tsconfig.build.json",
  "tsconfig.json",
  "vitest.config.ts",
]);

const LARGEST_BYTES = 500_000;

/** An archive without git says nothing of what is committed. */
const isClone = existsSync(".git");
const files = isClone
  ? execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" })
      .split("\0")
      .filter((path) => path !== "")
  : [];

describe.runIf(isClone)("the tree", () => {
  it("has at its top what people and tools expect", () => {
    expect(new Set(files.map((path) => path.split("/", 1).join()))).toEqual(TOP);
  });

  it("holds no download", () => {
    const large = files.filter(
      (path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LARGEST_BYTES,
    );
    expect(large).toEqual([]);
  });
});
