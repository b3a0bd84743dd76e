import { readFile } from "node:fs/promises";
import { describe, it } from "vitest";
import { runProgram } from "../support/program.ts";
import { runTickwatch } from "./test-command.ts";

describe.concurrent("the command line", () => {
  it("has an example in the help of each command that it lists", async ({ expect }) => {
    const main = await runTickwatch(["--help"]);
    expect(main).toMatchObject({ code: 0, err: "" });
    expect(main.out).toContain("\nExample:\n  tickwatch ");
    const [, listed = ""] = /^Commands:\n([^]*?)\n\n/m.exec(main.out) ?? [];
    const commands = [...listed.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => name ?? "");
    expect(commands).toEqual(expect.arrayContaining(["demo", "run", "check", "once"]));
    for (const command of commands.filter((name) => name !== "help")) {
      const help = await runTickwatch([command, "--help"]);
      expect(help).toMatchObject({ code: 0, err: "" });
      expect(help.out).toMatch(new RegExp(`\nExamples?:\n  tickwatch ${command} `));
    }
  });

  it("tells its version, the package's", async (test) => {
    const { expect } = test;
    const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
    const { version } = JSON.parse(text) as { version: string };
    expect(await runProgram(test, ["--version"])).toMatchObject({ code: 0, out: `${version}\n` });
  });

  it.for([
    [["run", "--frob"], /^error: unknown option '--frob'\n.*--help/],
    [["once", "--jsno"], /Did you mean --json/],
    [["rnu"], /unknown command 'rnu'.*\n.*Did you mean run/],
    [["once", "extra"], /too many arguments/],
    [["demo", "--for", "soon"], /'soon' is invalid. It is a duration like 30s or 2m/],
    [["demo", "--for", "0s"], /a duration/],
    [["demo", "--speed", "0"], /from 1 to 3600/],
    [["demo", "--seed", "-1"], /whole number/],
    [[], /Usage: tickwatch/],
  ] as const)(
    "answers %j with exit code 2 and what is wrong",
    async ([args, words], { expect }) => {
      const end = await runTickwatch(args);
      expect(end).toMatchObject({ code: 2, out: "" });
      expect(end.err).toMatch(words);
      expect(end.err).not.toMatch(/^ +at /m);
    },
  );

  it.for(["run", "once", "check"])(
    "%s without a configuration says so with exit code 2",
    async (command, { expect }) => {
      const end = await runTickwatch([command, "--config", "/nowhere/config.yaml"]);
      expect(end).toMatchObject({ code: 2, out: "" });
      expect(end.err).toMatch(/^\/nowhere\/config\.yaml.* does not exist/);
    },
  );
});
