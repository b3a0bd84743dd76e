import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Setup } from "../../model/index.ts";
import type { Io } from "../io.ts";
import { askAll } from "../look.ts";
import { readSetup } from "../setup.ts";
import type { Answers, Target } from "./answers.ts";
import { secretsFor } from "./config-file.ts";
import { filesFor } from "./files.ts";
import { writeAll } from "./write-files.ts";

/** The environment, with a value of the right form for each secret that is not set yet. */
export function withSamples(answers: Answers, env: Io["env"]): Io["env"] {
  const samples = secretsFor(answers).filter(({ name }) => (env[name] ?? "").trim() === "");
  return { ...env, ...Object.fromEntries(samples.map(({ name, sample }) => [name, sample])) };
}

/**
 * Reads what would be written for the answers as `check` does, from a temporary folder. Throws ConfigError where
 * it has mistakes.
 */
export async function readDraft(answers: Answers, env: Io["env"]): Promise<Setup> {
  const folder = await mkdtemp(join(tmpdir(), "tickwatch-init-"));
  try {
    await writeAll(folder, filesFor(answers));
    const config = join(folder, "config.yaml");
    return (await readSetup(config, { env: withSamples(answers, env) })).setup;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The answers, checked, with a name for each pool that the data source names. Throws ConfigError
 * where a rule of them has a mistake, such as a chain on which its kind cannot be had.
 */
export async function checkedAndNamed(answers: Answers, canAsk: boolean, io: Io): Promise<Answers> {
  const setup = await readDraft(answers, io.env);
  const isNameless = answers.watch === "pool" && answers.targets.some(({ name }) => name === null);
  if (!canAsk || !isNameless) return answers;
  const look = await askAll(setup, io);
  if (typeof look === "string") return answers;
  const labels = new Map(
    look.seen.flatMap(({ subject, name, description }) =>
      description === null ? [] : [[subject, name] as const],
    ),
  );
  return { ...answers, targets: withNames(answers.targets, (one) => labelOf(one, labels)) };
}

function labelOf({ chainId, id }: Target, labels: ReadonlyMap<string, string>): string | null {
  const end = `:${id.toLowerCase()}`;
  for (const [key, label] of labels) {
    if (key.split(":")[1] === String(chainId) && key.endsWith(end)) return label;
  }
  return null;
}

/** What a chain calls a pool goes into a file: only a name that is nothing but a name. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ./%+-]{0,59}$/u;

/** Names that several would have say the id as well. */
function withNames(
  targets: readonly Target[],
  nameOf: (one: Target) => string | null,
): readonly Target[] {
  const names = targets.map((one) => {
    const name = one.name ?? nameOf(one);
    return name !== null && NAME.test(name) ? name : null;
  });
  return targets.map((one, index) => {
    const name = names[index] ?? null;
    if (one.name !== null || name === null) return one;
    const alike = names.filter((other) => other === name).length > 1;
    const long = `${name} ${one.id}`;
    return { ...one, name: alike ? (long.length <= 60 ? long : null) : name };
  });
}
