import type { Counts, Watch } from "../../api/schemas/overview.ts";
import type { Viewer } from "../../viewer.ts";
import type { Assets } from "../assets.ts";
import type { Outcome } from "../outcomes.ts";

/** What every page shows around its own. */
export interface Around {
  readonly assets: Assets;
  readonly viewer: Viewer;
  readonly watch: Watch;
  readonly counts: Counts;
  /** The state of the daemon that is shown; a script asks for what is newer. */
  readonly version: number;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly program: string;
  /** The address that is shown, for forms to come back to. */
  readonly here: string;
  /** What was just done. */
  readonly outcome: Outcome | null;
}

/** What a page is drawn of. */
export interface PageProps<Data> {
  readonly around: Around;
  readonly data: Data;
}
