import { Argument } from "commander";
import type { BackupOptions } from "./backup.ts";
import { type CommandSpec, config, json, option } from "./command.ts";
import type { DoctorOptions } from "./doctor/doctor.ts";
import { packageVersion } from "./package-version.ts";

/** What is done with a database and an installation now and then. */
export const UPKEEP_COMMANDS: readonly CommandSpec[] = [
  {
    name: "doctor",
    description: "look at all that support would ask for, and print a report without a secret",
    options: [config, option("--offline", "reach neither the service nor the channels"), json],
    notes: `Node, the SQLite driver, the configuration, the disk, rights, the database, the clock beside the service's, names
and TLS certificates, the key, and whether each channel's server answers. Sends and changes nothing.
Exit codes: 0 nothing is wrong, 2 the configuration, 4 the database, 3 the service or a channel, 1 anything else.`,
    examples: ["doctor --config /etc/tickwatch/config.yaml"],
    run: async (io, options: DoctorOptions) =>
      (await import("./doctor/doctor.ts")).doctor(options, packageVersion(), io),
  },
  {
    name: "backup",
    description: "write all that the database holds into a file, also beside a running daemon",
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
    description: "put a backup in the place of the database, which is kept under another name",
    arguments: [new Argument("<file>", "a backup")],
    options: [config],
    notes: `Stop the daemon first; beside a running one it is refused with exit code 4. The daemon then continues from the
moment of the backup: alerts that fired since may be sent again.`,
    examples: ["restore /backups/tickwatch-2026-11-29.db"],
    run: async (io, file: string, options: BackupOptions) =>
      (await import("./backup.ts")).restoreBackup(file, options, io),
  },
  {
    name: "compact",
    description: "write the database anew without its free space",
    options: [config],
    notes: `Stop the daemon first; beside a running one it is refused with exit code 4. It needs as much free space as the
database takes. A daemon uses free space again by itself: this is for a database that has become much smaller.`,
    examples: ["compact --config /etc/tickwatch/config.yaml"],
    run: async (io, options: BackupOptions) =>
      (await import("./backup.ts")).compactStore(options, io),
  },
];
