import type { StorePlace } from "../model/index.ts";
import { StoreError } from "./store.ts";

/** The path of a store that is a file. Throws StoreError for another one: what asks cannot do its work there yet. */
export function sqliteFile(place: StorePlace): string {
  if (typeof place === "string") return place;
  throw new StoreError(
    "unwritable",
    "this does not work on a PostgreSQL store yet: docs/postgres.md lists what does",
  );
}
