import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { areSame, LoadedFiles } from "../../../src/ops/reload/files.ts";

describe("the files of a configuration", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "tickwatch-files-"));
    await mkdir(join(folder, "rules"));
    await writeFile(join(folder, "config.yaml"), "one");
    await writeFile(join(folder, "rules", "a.yaml"), "a");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const path = (...names: string[]): string => join(folder, ...names);

  /** As a loading of the configuration reads them. */
  async function loaded(): Promise<LoadedFiles> {
    const files = new LoadedFiles();
    await files.readFile(path("config.yaml"), 100);
    files.onPattern("rules/*.yaml", folder);
    await files.readFile(path("rules", "a.yaml"), 100);
    await files.readFile(path("secret"), 100).catch(() => {});
    return files;
  }

  it("are the same as long as nobody touches them", async () => {
    const files = await loaded();
    expect(areSame(await files.look(), files.stamps)).toBe(true);
    expect(files.stamps.size).toBe(3);
  });

  it.each([
    ["one is written in place", () => writeFile(path("config.yaml"), "two")],
    ["a rules file is written in place", () => writeFile(path("rules", "a.yaml"), "b")],
    [
      "an editor puts a new file of the same size in its place",
      async () => {
        await writeFile(path("config.yaml~"), "two");
        await rename(path("config.yaml~"), path("config.yaml"));
      },
    ],
    ["a pattern matches one more", () => writeFile(path("rules", "b.yaml"), "b")],
    ["one vanishes", () => unlink(path("rules", "a.yaml"))],
    ["one that was missing is there", () => writeFile(path("secret"), "s")],
  ])("are others when %s", async (_, edit) => {
    const files = await loaded();
    await edit();
    expect(areSame(await files.look(), files.stamps)).toBe(false);
  });

  it("do not have rule tests among them, nor what no pattern matches", async () => {
    const files = await loaded();
    await writeFile(path("rules", "a.test.yaml"), "tests");
    await writeFile(path("rules", "notes.txt"), "notes");
    expect(areSame(await files.look(), files.stamps)).toBe(true);
  });

  it("are others when the link is switched behind which a folder of Kubernetes lies", async () => {
    for (const version of ["v1", "v2"]) {
      await mkdir(path(version));
      await writeFile(path(version, "config.yaml"), "one");
    }
    await symlink("v1", path("..data"));
    await unlink(path("config.yaml"));
    await symlink("..data/config.yaml", path("config.yaml"));
    const files = await loaded();
    expect(areSame(await files.look(), files.stamps)).toBe(true);
    await symlink("v2", path("..data_tmp"));
    await rename(path("..data_tmp"), path("..data"));
    expect(areSame(await files.look(), files.stamps)).toBe(false);
  });

  it("of a loading that failed are looked at with those of the one before", async () => {
    const before = await loaded();
    const failed = new LoadedFiles();
    await writeFile(path("config.yaml"), "broken");
    await failed.readFile(path("config.yaml"), 100);
    const both = failed.with(before);
    expect([...both.stamps.keys()].toSorted()).toEqual([...before.stamps.keys()].toSorted());
    expect(both.stamps.get(path("config.yaml"))).toBe(failed.stamps.get(path("config.yaml")));
    await writeFile(path("rules", "b.yaml"), "b");
    expect((await both.look()).has(path("rules", "b.yaml"))).toBe(true);
  });
});
