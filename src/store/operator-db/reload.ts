import { CONFIGURATION_MARK, RELOAD_MARK } from "../../model/index.ts";
import type { Access } from "./access.ts";

/** Asking a running daemon for its configuration to be loaded, and what it says of that. */
export interface ReloadRequests {
  /** Writes a request down. False: no daemon that could hear it has run on this database yet. */
  ask(id: string): boolean;
  /** Takes it back, if it is the latest. */
  takeBack(id: string): void;
  /** The configuration that runs, as it was written down (`CONFIGURATION_MARK`); null: it was not. */
  state(): string | null;
}

const READ = "SELECT value FROM marks JOIN names ON names.id = subject WHERE names.text = ?";
// The daemon alone gives numbers to names: it has made this one when it started.
const WRITE =
  "UPDATE marks SET value = ? WHERE subject = (SELECT id FROM names WHERE names.text = ?)";

export function reloadRequests(access: Access): ReloadRequests {
  return {
    ask: (id) =>
      access.write((db) => db.prepare<[string, string]>(WRITE).run(id, RELOAD_MARK).changes > 0),
    takeBack: (id) =>
      access.write((db) => {
        const latest = db.prepare<[string], string>(READ).pluck().get(RELOAD_MARK);
        if (latest === id) db.prepare<[string, string]>(WRITE).run("", RELOAD_MARK);
      }),
    state: () =>
      access.read(
        (db) => db.prepare<[string], string>(READ).pluck().get(CONFIGURATION_MARK) ?? null,
      ),
  };
}
