import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WHOLE } from "../support/tier.ts";

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

let folder: string;
let packed: Packed;
/** Where the package is installed, and its program. */
let home: string;
let program: string;

/** Runs the installed program in another folder than the repository's. */
function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR },
  });
  return { code: status, out: stdout, err: stderr };
}

// Only the whole pass packs and installs, which takes npm some seconds.
describe.runIf(WHOLE)("the packed package", () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tickwatch-package-"));
    const said = execFileSync(
      "npm",
      ["pack", "--json", "--ignore-scripts", "--pack-destination", folder],
      {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    const [first] = JSON.parse(said) as readonly Packed[];
    if (first === undefined) throw new Error("npm packed nothing");
    packed = first;
    const tarball = join(folder, packed.filename);
    // As people install it, but for the compiler: the drivers are the ones that stand here already.
    const prefix = join(folder, "prefix");
    const how = ["--global", "--prefix", prefix, "--ignore-scripts", "--no-audit", "--no-fund"];
    execFileSync("npm", ["install", ...how, tarball], { stdio: "ignore" });
    home = join(prefix, "lib", "node_modules", "tickwatch");
    for (const name of ["better-sqlite3", "better-sqlite3-node22"]) {
      const built = resolve("node_modules", name, "build");
      if (existsSync(built))
        cpSync(built, join(home, "node_modules", name, "build"), { recursive: true });
    }
    program = join(prefix, "bin", "tickwatch");
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("is small, and holds what runs and what is read", () => {
    expect(packed.size).toBeLessThan(2_000_000);
    expect(packed.unpackedSize).toBeLessThan(6_000_000);
    const tops = new Set(packed.files.map(({ path }) => path.split("/", 1).join()));
    expect(tops).toEqual(
      new Set([
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "README.md",
        "SECURITY.md",
        "config.example.yaml",
        "deploy",
        "dist",
        "docs",
        "package.json",
        "rules",
      ]),
    );
    for (const path of ["deploy/tickwatch.service", "dist/tickwatch.1", "docs/rules.md"]) {
      expect(existsSync(join(home, path))).toBe(true);
    }
  });

  it("runs its commands from anywhere", () => {
    const made = run(
      "init",
      "alerts",
      "--watch",
      "lp",
      "--data",
      "simulator",
      "--channel",
      "console",
      // Whatever this machine has at the simulator's usual port is not asked.
      "--offline",
    );
    expect(made).toMatchObject({ code: 0, err: "" });
    expect(run("check", "alerts/config.yaml")).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(run("schema", "rules").out)).toMatchObject({ type: "object" });
    // The sample rules are found, and alerts of them come.
    const demo = run("demo", "--for", "3s");
    expect(demo).toMatchObject({ code: 0, err: "" });
    expect(demo.out).toContain("Watching");
    const manual = run("man");
    expect(manual.code).toBe(0);
    expect(manual.out).toBe(readFileSync(join(home, "dist", "tickwatch.1"), "utf8"));
    expect(run("doctor", "--config", "alerts/config.yaml", "--offline").code).toBe(0);
  });

  // npm links manual pages only from a list, and drops a single name without a word.
  it("puts its manual page where man looks for it", () => {
    const linked = join(folder, "prefix", "share", "man", "man1", "tickwatch.1");
    expect(readFileSync(linked, "utf8")).toBe(run("man").out);
  });
});
