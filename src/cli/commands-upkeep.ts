import { Argument } from "commander";
import { moreArgument } from "./arguments.ts";
import type { BackupOptions } from "./backup.ts";
import { type CommandSpec, config, json, option } from "./command.ts";
import type { DiffOptions } from "./diff.ts";
import type { DoctorOptions } from "./doctor/doctor.ts";
import type { InitOptions } from "./init/targets.ts";
import { packageVersion } from "./io.ts";
import type { MigrateStoreOptions } from "./migrate-store.ts";
import type { ReloadOptions } from "./reload.ts";
import type { Shell } from "./shell/completion.ts";

export const INIT_COMMAND: CommandSpec = {
  name: "init",
  description: "write a configuration, rules with their tests and .env.example into a folder",
  arguments: [
    new Argument("[folder]", "where to write; nothing in it is overwritten").default("."),
  ],
  options: [
    option("--watch <what>", "lp, gas, treasury, pool or holders"),
    option("--data <source>", "service, node or simulator"),
    option("--url <address>", "the service's address, without /v1"),
    option("--legacy-url <address>", "the address of its earlier family, without /api"),
    option("--chain <chain>", "a chain's name or number"),
    option("--id <id>", "a position, pool or token to watch; repeatable", moreArgument),
    option("--protocol <name>", "what minted the positions: dexa (default) or dexb"),
    option("--wallet <address>", "look there for positions (lp), or watch its tokens (treasury)"),
    option("--channel <kind>", "console, slack, telegram, discord, email, pagerduty or webhook"),
    option("--offline", "do not ask the service"),
  ],
  notes: `At a terminal it asks for whatever the options leave open. Then it tests the rules and evaluates each of them once
against the service. It reads the key from TICKWATCH_API_KEY and a node's URL from RPC_ETHEREUM and the like. It
never asks for secrets and never writes them.`,
  examples: [
    "init alerts",
    "init alerts --watch gas --data simulator --channel console",
    "init --watch lp --url https://data.example.org --chain base --id 410233 --channel slack",
  ],
  run: async (io, folder: string, options: InitOptions) =>
    (await import("./init/init.ts")).init(folder, options, io),
};

/** What is done with an edited configuration beside a daemon that runs. */
export const RELOAD_COMMANDS: readonly CommandSpec[] = [
  {
    name: "diff",
    description: "show what loading the configuration would change in the daemon",
    options: [
      config,
      option("--store <file>", "the daemon's database, if the configuration names another one"),
      json,
    ],
    notes: `Compares with the rules, alerts and settings that the daemon has loaded, running or not. Asks, stores and
sends nothing. Give a copy of the files with --config and --store to look before they are in place.`,
    examples: ["diff --config staged/config.yaml --store /var/lib/tickwatch/tickwatch.db"],
    run: async (io, options: DiffOptions) => (await import("./diff.ts")).diff(options, io),
  },
  {
    name: "reload",
    description: "make the running daemon load its edited configuration, and print the result",
    options: [
      config,
      option("--force", "in a cluster: load this machine's files, although they are older"),
      json,
    ],
    notes: `All or nothing: while any file has a mistake, the daemon keeps its configuration. SIGHUP does
the same. With reload: auto, the default, the daemon loads edited files by itself. docs/reload.md says what
follows. In a cluster the other daemons follow, and all decide by the newest files (docs/cluster.md).
Exit codes: 0 loaded, 2 refused, 3 no daemon has answered.`,
    examples: ["reload --config /etc/tickwatch/config.yaml"],
    run: async (io, options: ReloadOptions) => (await import("./reload.ts")).reload(options, io),
  },
];

/** What is done with a database and an installation now and then. */
export const UPKEEP_COMMANDS: readonly CommandSpec[] = [
  {
    name: "doctor",
    description: "check everything that support would ask for, and print a report without secrets",
    options: [config, option("--offline", "reach neither the service nor the channels"), json],
    notes: `Checks Node, the SQLite driver, the configuration, the disk, rights, the database, the clock against the service's,
names and TLS certificates, the key, and whether each channel's server answers. Sends and changes nothing.
Exit codes: 0 nothing is wrong, 2 the configuration, 4 the database, 3 the service or a channel, 1 anything else.`,
    examples: ["doctor --config /etc/tickwatch/config.yaml"],
    run: async (io, options: DoctorOptions) =>
      (await import("./doctor/doctor.ts")).doctor(options, packageVersion(), io),
  },
  {
    name: "backup",
    description: "write the whole database into a file, also beside a running daemon",
    arguments: [new Argument("<file>", "the backup; never overwritten without --force")],
    options: [config, option("--force", "replace the file if it exists")],
    notes: `The backup is one moment of the database. It is checked before it gets its name, and only its owner can read it.
Exit code 4: the database cannot be read, or the file cannot be written.`,
    examples: ["backup /backups/tickwatch-$(date +%F).db"],
    run: async (io, file: string, options: BackupOptions) =>
      (await import("./backup.ts")).backup(file, options, io),
  },
  {
    name: "restore",
    description: "replace the database by a backup; the old one is kept under another name",
    arguments: [new Argument("<file>", "a backup")],
    options: [config],
    notes: `Stop the daemon first; beside a running one it is refused with exit code 4. The daemon then continues from the
moment of the backup: alerts that fired since may be sent again.`,
    examples: ["restore /backups/tickwatch-2026-11-29.db"],
    run: async (io, file: string, options: BackupOptions) =>
      (await import("./backup.ts")).restoreBackup(file, options, io),
  },
  {
    name: "migrate-store",
    description: "copy the database from SQLite to PostgreSQL, or back, and compare the two",
    options: [
      config,
      option("--from <place>", "a file, or env:NAME with a URL; default: the configured one"),
      option(
        "--to <place>",
        "an empty schema as env:NAME with a URL, or a new file",
      ).makeOptionMandatory(),
    ],
    notes: `Stop the daemon first; beside a running one it is refused with exit code 4. The source is not
changed. The number of rows and a digest of each table are compared at the end: the copy is complete, or none is left.`,
    examples: [
      "migrate-store --to env:DATABASE_URL",
      "migrate-store --from env:DATABASE_URL --to tickwatch.db",
    ],
    run: async (io, options: MigrateStoreOptions) =>
      (await import("./migrate-store.ts")).migrateStore(options, io),
  },
  {
    name: "compact",
    description: "rewrite the database without its free space",
    options: [config],
    notes: `Stop the daemon first; beside a running one it is refused with exit code 4. It needs as much free space as the
database takes. The daemon reuses free space by itself: this is for a database that has become much smaller.
On PostgreSQL it runs VACUUM (ANALYZE) on the tables, also beside running daemons.`,
    examples: ["compact --config /etc/tickwatch/config.yaml"],
    run: async (io, options: BackupOptions) =>
      (await import("./backup.ts")).compactStore(options, io),
  },
];

/** What tells shells and `man` of all the commands, its own among them. */
export function shellCommands(all: () => readonly CommandSpec[]): readonly CommandSpec[] {
  return [
    {
      name: "completion",
      description: "print a completion script for a shell",
      arguments: [new Argument("<shell>").choices(["bash", "zsh", "fish"])],
      notes:
        "Add the line of the example to ~/.bashrc; for zsh and fish see the first lines of their scripts.",
      examples: ["completion bash > ~/.tickwatch-completion", "completion zsh", "completion fish"],
      run: async (io, shell: Shell) =>
        (await import("./shell/completion.ts")).completion(shell, all(), io),
    },
    {
      name: "man",
      description: "print the manual page",
      notes: "An installation with npm has the page where man finds it.",
      examples: ["man > tickwatch.1"],
      run: async (io) => (await import("./shell/manual.ts")).manual(all(), io),
    },
  ];
}
