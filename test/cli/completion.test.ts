import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import type { Io } from "../../src/cli/io.ts";
import { completion, SHELLS, type Shell } from "../../src/cli/shell/completion.ts";
import { manual } from "../../src/cli/shell/manual.ts";

let folder: string;
const scripts = new Map<Shell, string>();

function printed(print: (io: Io) => number): string {
  let text = "";
  const io = { out: (more: string) => void (text += more) } as Io;
  expect(print(io)).toBe(0);
  return text;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-completion-"));
  for (const name of SHELLS) {
    const file = join(folder, name);
    await writeFile(
      file,
      printed((io) => completion(name, COMMANDS, io)),
    );
    scripts.set(name, file);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const here = (program: string): boolean => spawnSync("which", [program]).status === 0;
const missing = (program: string): boolean => process.env.CI_PEERS !== "1" && !here(program);

function shell(program: string, script: string): string {
  const { status, stdout, stderr } = spawnSync(program, ["-c", script], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

/** What is typed, and what may come of it. */
const TYPED = [
  [["doct"], ["doctor"]],
  [["silence", "ex"], ["expire"]],
  [
    ["silence", "add", "--fo"],
    ["--for", "--force"],
  ],
  [["completion", "f"], ["fish"]],
  [["send-test", "lp-slack", "--kind", "fi"], ["fired"]],
  [["outbox", "list", "--de"], ["--dead"]],
] as const;

describe("tickwatch completion", () => {
  it.each(TYPED)("bash completes %j", (words, wanted) => {
    const line = ["tickwatch", ...words].map((word) => `'${word}'`).join(" ");
    const script = `source '${scripts.get("bash") ?? ""}'; COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _tickwatch; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(shell("bash", script).trim().split("\n").toSorted()).toEqual([...wanted].toSorted());
  });

  describe.skipIf(missing("fish"))("with fish", () => {
    it.each(TYPED)("completes %j", (words, wanted) => {
      const said = shell(
        "fish",
        `source '${scripts.get("fish") ?? ""}'; complete -C 'tickwatch ${words.join(" ")}'`,
      );
      const offered = said.split("\n").map((line) => line.split("\t")[0] ?? "");
      expect(offered).toEqual(expect.arrayContaining([...wanted]));
    });
  });

  it.skipIf(missing("zsh"))("is a script that zsh takes", () => {
    const load = `autoload -Uz compinit && compinit -u -d '${folder}/dump' && source '${scripts.get("zsh") ?? ""}'`;
    expect(shell("zsh", `${load} && print \${_comps[tickwatch]}`)).toBe("_tickwatch\n");
  });
});

describe("tickwatch man", () => {
  const page = printed((io) => manual(COMMANDS, io));

  it("has every command and option of the help", () => {
    const text = page.replaceAll("\\-", "-");
    for (const { name, options = [], commands = [] } of COMMANDS) {
      expect(text).toContain(`.SS "tickwatch ${name}`);
      for (const { flags } of options) expect(text).toContain(`.B ${flags}\n`);
      for (const inner of commands) expect(text).toContain(`.SS "tickwatch ${name} ${inner.name}`);
    }
  });

  it.skipIf(missing("man"))("is one that man takes without a warning", async () => {
    const file = join(folder, "tickwatch.1");
    await writeFile(file, page);
    const { status, stdout, stderr } = spawnSync("man", ["--warnings", "-l", file], {
      encoding: "utf8",
      env: { ...process.env, MANPAGER: "cat", MANWIDTH: "100", LC_ALL: "C.UTF-8" },
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("tickwatch backup");
  });
});
