import { CONFIGURATION_MARK, RELOAD_MARK } from "../../../model/index.ts";
import type { Promised } from "../../operator-db/promised.ts";
import type { ReloadRequests } from "../../operator-db/reload.ts";
import { markOf } from "../names.ts";
import type { Session } from "../session.ts";
import type { ServerAccess } from "./access.ts";

// The daemon has made this mark when it started.
async function setMark(session: Session, value: string): Promise<number> {
  return await session.run(
    "UPDATE marks SET value = $1 WHERE subject = (SELECT id FROM names WHERE names.text = $2)",
    [value, RELOAD_MARK],
  );
}

export function reloadRequests(access: ServerAccess): Promised<ReloadRequests> {
  return {
    ask: (id) => access.write(async (session) => (await setMark(session, id)) > 0),
    takeBack: (id) =>
      access.write(async (session) => {
        if ((await markOf(session, RELOAD_MARK)) === id) await setMark(session, "");
      }),
    state: () => access.read((session) => markOf(session, CONFIGURATION_MARK)),
  };
}
