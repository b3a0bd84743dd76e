import { join } from "node:path";
import { check } from "../check.ts";
import { EXIT, type Io } from "../io.ts";
import { test } from "../test.ts";
import type { Answers } from "./answers.ts";
import { InitError } from "./asker.ts";
import { secretsFor } from "./config-file.ts";
import { DataSource } from "./data-source.ts";
import { checkedAndNamed, withSamples } from "./draft.ts";
import { filesFor } from "./files.ts";
import { PromptCancelled } from "./prompts.ts";
import { askAnswers } from "./questions.ts";
import type { InitOptions } from "./targets.ts";
import { refuseExisting, writeAll } from "./write-files.ts";

/** Ctrl-C at a question, as a shell has it for a program that SIGINT ends. */
const CANCELLED = 130;

/**
 * `tickwatch init`: writes a configuration into `folder`, tests its rules, and shows what they say now. The exit
 * code is that of `check --online`, if the service was asked. Throws ConfigError.
 */
export async function init(folder: string, options: InitOptions, io: Io): Promise<number> {
  const data = new DataSource(io, options.offline === true);
  try {
    // Nobody should answer questions in vain.
    await refuseExisting(folder, ["config.yaml", ".env.example"]);
    const answers = await askAnswers(options, (await io.prompts?.()) ?? null, {
      find: (what) => data.find(what),
      say: (line) => io.err(`${line}\n`),
    });
    await refuseExisting(
      folder,
      filesFor(answers).map(({ path }) => path),
    );
    const { channel } = answers;
    const needs = secretsFor(answers).filter((one) => !channel.secrets.includes(one));
    const whyNot = await data.whyNot(
      answers.data,
      needs.map(({ name }) => name),
    );
    return await writeAndShow(
      folder,
      await checkedAndNamed(answers, whyNot === null, io),
      whyNot,
      io,
    );
  } catch (error) {
    if (error instanceof PromptCancelled) return CANCELLED;
    if (!(error instanceof InitError)) throw error;
    io.err(`tickwatch: ${error.message}\n`);
    return EXIT.usage;
  } finally {
    await data.close();
  }
}

async function writeAndShow(
  folder: string,
  answers: Answers,
  whyNot: string | null,
  io: Io,
): Promise<number> {
  const files = filesFor(answers);
  await writeAll(folder, files);
  for (const { path } of files) io.out(`wrote ${join(folder, path)}\n`);
  io.out("\n");
  const tested = await test([join(folder, "rules", `${answers.watch}.test.yaml`)], {}, io);
  if (tested !== EXIT.fine) return tested;
  io.out("\n");
  let code: number = EXIT.fine;
  if (whyNot === null) {
    code = await showNow(folder, answers, io);
  } else io.out(`Nothing was asked: ${whyNot}.\n`);
  io.out(`\n${nextSteps(folder, answers, io)}`);
  return code;
}

/** `check --online` with what it cannot know yet explained; the exit code. */
async function showNow(folder: string, answers: Answers, io: Io): Promise<number> {
  let shown = "";
  const env = withSamples(answers, io.env);
  const out = (text: string): void => {
    shown += text;
    io.out(text);
  };
  const code = await check(
    { config: join(folder, "config.yaml"), online: true },
    { ...io, env, out },
  );
  if (/ (?:priming|not known yet)$/m.test(shown)) {
    io.out(
      "priming, not known yet: the rule looks back over a time that `tickwatch run` will fill.\n",
    );
  }
  return code;
}

/** A text as one word of a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** What to type next, in the order in which it is needed. */
function nextSteps(folder: string, answers: Answers, { env }: Pick<Io, "env">): string {
  const secrets = secretsFor(answers);
  const unset = secrets.filter(({ name }) => (env[name] ?? "").trim() === "");
  const { kind } = answers.channel;
  const steps: readonly (readonly [command: string, what: string])[] = [
    ...(folder === "." ? [] : [[`cd ${shellWord(folder)}`, ""] as const]),
    ...(unset.length === 0
      ? []
      : [
          [
            "cp .env.example .env && chmod 600 .env",
            `then put your own values in: ${secrets.map(({ name }) => name).join(", ")}`,
          ] as const,
          ["set -a; . ./.env; set +a", "gives them to this shell"] as const,
        ]),
    ...(answers.data.kind === "simulator"
      ? [["tickwatch serve", "in a terminal of its own: the simulated service"] as const]
      : []),
    [`tickwatch send-test ${kind === "console" ? "terminal" : kind}`, "a sample of each notice"],
    ["tickwatch run", "watches until Ctrl-C"],
  ];
  const width = Math.max(...steps.map(([command]) => command.length));
  const lines = steps.map(([command, what]) => `  ${command.padEnd(width)}  ${what}`.trimEnd());
  return `Next:\n${lines.join("\n")}\n`;
}
