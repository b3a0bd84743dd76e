import type { Answers, RulesFiles } from "./answers.ts";
import { configText, envText } from "./config-file.ts";
import { gasFiles } from "./rules-gas.ts";
import { holdersFiles } from "./rules-holders.ts";
import { lpFiles } from "./rules-lp.ts";
import { poolFiles } from "./rules-pool.ts";
import { treasuryFiles } from "./rules-treasury.ts";
import { walletFiles } from "./rules-wallet.ts";

/** A file to write: its path in the folder, and its text. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** The files that `tickwatch init` writes for these answers. */
export function filesFor(answers: Answers): readonly NewFile[] {
  const { rules, tests } = rulesFor(answers);
  return [
    { path: "config.yaml", text: configText(answers) },
    { path: `rules/${answers.watch}.yaml`, text: rules },
    { path: `rules/${answers.watch}.test.yaml`, text: tests },
    { path: ".env.example", text: envText(answers) },
  ];
}

function rulesFor({ watch, targets, wallet }: Answers): RulesFiles {
  switch (watch) {
    case "lp":
      return wallet === null ? lpFiles(targets) : walletFiles(targets, wallet);
    case "gas":
      return gasFiles(targets);
    case "treasury":
      return treasuryFiles(targets, wallet ?? "");
    case "pool":
      return poolFiles(targets);
    case "holders":
      return holdersFiles(targets);
  }
}
