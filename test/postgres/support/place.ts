import { type PostgresPlace, readPostgresUrl } from "../../../src/base/postgres-url.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import type { StorePlace } from "../../store/store-suite.ts";
import type { Server } from "./server.ts";

let count = 0;

/** A schema that no other test of the server has. */
export function freshSchema(): string {
  count += 1;
  return `s${process.pid}_${count}`;
}

/** Throws Error where the URL is none. */
export function placeOf(url: string): PostgresPlace {
  const place = readPostgresUrl(url, "/");
  if ("trouble" in place) throw new Error(place.trouble);
  return place;
}

/** A schema of its own for one store, reached over `port` where it is given. */
export function postgresPlace(
  server: Server,
  port?: number,
): StorePlace & { readonly schema: string } {
  const schema = freshSchema();
  const place = placeOf(server.url(schema, port === undefined ? {} : { port }));
  return {
    schema,
    open: () => openPostgresStore(place),
    remove: async () => void (await server.sql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)),
  };
}
