import { CONFIGURATION_MARK, RELOAD_MARK } from "../../model/index.ts";
import { type Access, run, value, type Work } from "./work.ts";

/** Asking a running daemon for its configuration to be loaded, and what it says of that. */
export interface ReloadRequests {
  /** Writes a request down. False: no daemon that could hear it has run on this database yet. */
  ask(id: string): Promise<boolean>;
  /** Takes it back, if it is the latest. */
  takeBack(id: string): Promise<void>;
  /** The configuration that runs, as it was written down (`CONFIGURATION_MARK`); null: it was not. */
  state(): Promise<string | null>;
}

export function reloadRequests(access: Access): ReloadRequests {
  return {
    ask: (id) => access.write(ask(id)),
    takeBack: (id) => access.write(takeBack(id)),
    state: () => access.read(markOf(CONFIGURATION_MARK)),
  };
}

/** The daemon alone gives numbers to names: it has made this one when it started. */
function* ask(id: string): Work<boolean> {
  const sql =
    "UPDATE marks SET value = $1 WHERE subject = (SELECT id FROM names WHERE names.text = $2)";
  return (yield* run(sql, [id, RELOAD_MARK])) > 0;
}

function* takeBack(id: string): Work<void> {
  if ((yield* markOf(RELOAD_MARK)) === id) yield* ask("");
}

/** The mark of one name; null: it was never made. */
export function markOf(mark: string): Work<string | null> {
  return value("SELECT value FROM marks JOIN names ON names.id = subject WHERE names.text = $1", [
    mark,
  ]);
}
