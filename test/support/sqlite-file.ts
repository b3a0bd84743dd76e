import type { StorePlace } from "../../src/model/index.ts";

/** The path of a store that is a file. Throws Error for another one. */
export function sqliteFile(place: StorePlace): string {
  if (typeof place === "string") return place;
  throw new Error("the store is no file");
}
