import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Owner, type Program, type Running, startHere, startProgram } from "./program.ts";

/** A folder with a configuration for the built program, its rules and its database. */
export interface DaemonPlace {
  readonly folder: string;
  readonly config: string;
  readonly database: string;
  readonly env: Readonly<Record<string, string>>;
  /** Starts `run` on it. */
  run(): Program;
  /** The same in this process: it cannot be killed. */
  runHere(): Running;
  /** Another text for the rules, seen at the next start. */
  writeRules(rules: string): Promise<void>;
}

export interface PlaceOptions {
  readonly serviceUrl: string;
  readonly slackUrl: string;
  readonly rules: string;
  readonly key?: string;
  /** Of the log; `debug` tells of each round. */
  readonly level?: string;
  /** For one request to the service; 2s unless told. */
  readonly timeout?: string;
  /** The folder of the database, instead of the place's own. */
  readonly databaseFolder?: string;
}

/** Makes the place; the end of the test removes it. */
export async function makePlace(owner: Owner, options: PlaceOptions): Promise<DaemonPlace> {
  const folder = await mkdtemp(join(tmpdir(), "tickwatch-e2e-"));
  owner.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const config = join(folder, "config.yaml");
  const database = join(options.databaseFolder ?? folder, "tickwatch.db");
  const rulesFile = join(folder, "rules.yaml");
  const env = { KEY: options.key ?? "tw_0123456789abcdef", SLACK_URL: options.slackUrl };
  await writeFile(
    config,
    [
      "service:",
      `  base_url: ${options.serviceUrl}`,
      '  api_key: "${env:KEY}"',
      `  timeout: ${options.timeout ?? "2s"}`,
      "  requests_per_second: 100",
      "rules: [rules.yaml]",
      `store: ${database}`,
      "group_wait: 0s",
      "channels:",
      "  terminal: {kind: console}",
      '  slack: {kind: slack, url: "${env:SLACK_URL}"}',
      `log: {level: ${options.level ?? "debug"}}`,
      "",
    ].join("\n"),
  );
  await writeFile(rulesFile, options.rules);
  return {
    folder,
    config,
    database,
    env,
    run: () => startProgram(owner, ["run", "--config", config], { env }),
    runHere: () => startHere(owner, ["run", "--config", config], { env }),
    writeRules: (rules) => writeFile(rulesFile, rules),
  };
}
