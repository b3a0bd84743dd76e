import type { HttpBindings } from "@hono/node-server";

/** Who looks at the page, as far as the server knows. */
export interface Viewer {
  /** What actions are written down under where the viewer gives no name. */
  readonly by: string;
  readonly mayAct: boolean;
  /** Why not, for the buttons that stay and do nothing; null: the viewer may. */
  readonly whyNot: string | null;
  /** Goes into each form as the field `csrf`; null: there is no session, and nothing is posted. */
  readonly csrf: string | null;
  /** There is something to sign out of. */
  readonly signedIn: boolean;
}

/** What the routes know of a request. */
export interface WebEnv {
  Bindings: HttpBindings;
  Variables: { viewer: Viewer };
}
