import { resolve } from "node:path";
import { nearest } from "./nearest.ts";
import { Secret } from "./text.ts";

/** A PostgreSQL store as a configuration names it. The URL is secret as a whole. */
export interface PostgresPlace {
  readonly url: Secret;
  /** In it the tables are; part of every message, so it is no secret. */
  readonly schema: string;
  /** Where relative paths in the URL start. */
  readonly folder: string;
}

/** What one needs to connect. */
export interface PostgresTarget {
  /** A name or an address without brackets; a folder (absolute) for a socket of this machine. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string | null;
  readonly database: string;
  readonly schema: string;
  /** `full`: the certificate is checked with its names; `ca`: without them; `none`: nothing is encrypted. */
  readonly tls: "full" | "ca" | "none";
  /** The file with the authority's certificate, absolute; null: those that Node knows. */
  readonly authority: string | null;
  /** The user has said that nothing is encrypted over a network. */
  readonly isOpen: boolean;
}

/** Why a URL is none that can be used; never repeats it. */
export interface UrlTrouble {
  readonly trouble: string;
  readonly expected: string;
}

const SHAPE = "postgres://USER:PASSWORD@HOST/DATABASE?schema=tickwatch";
const PARAMETERS = ["schema", "sslmode", "sslrootcert", "host"] as const;
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;

/** How messages name a store; it is no secret. */
export function storeName(place: string | PostgresPlace): string {
  return typeof place === "string" ? place : `the PostgreSQL schema ${place.schema}`;
}

export function isPostgresUrl(text: string): boolean {
  return /^\s*postgres(ql)?:/i.test(text);
}

/** The place that a URL names; `folder` is where its relative paths start. */
export function readPostgresUrl(text: string, folder: string): PostgresPlace | UrlTrouble {
  const target = parse(text, folder);
  return "trouble" in target ? target : { url: new Secret(text), schema: target.schema, folder };
}

/** What to connect to. Throws Error for a place that `readPostgresUrl` did not make. */
export function targetOf({ url, folder }: PostgresPlace): PostgresTarget {
  const target = parse(url.reveal(), folder);
  if ("trouble" in target) throw new Error(target.trouble);
  return target;
}

/** Source of the form: PostgreSQL, 34.1.1.2 "Connection URIs"; what is not listed here is refused. */
function parse(given: string, folder: string): PostgresTarget | UrlTrouble {
  const text = given.trim();
  const match = /^postgres(?:ql)?:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?(#.*)?$/i.exec(text);
  if (match === null) return bad("the address is not a PostgreSQL URL");
  const [, authority = "", path = "", query = "", fragment] = match;
  if (fragment !== undefined) {
    return bad("a # must be written as %23 in user, password and database");
  }
  const parts = readAuthority(authority);
  if ("trouble" in parts) return parts;
  const options = readOptions(query);
  if ("trouble" in options) return options;
  const database = decoded(path);
  if (database === null || database.includes("/")) return bad("the database's name is malformed");
  if (database === "") return bad("the database is missing after the host");
  const schema = options.get("schema") ?? "tickwatch";
  if (!SCHEMA.test(schema) || schema.startsWith("pg_")) {
    return bad(
      "the schema is no plain name",
      "lower-case letters, digits and _, as in schema=tickwatch",
    );
  }
  const socket = options.get("host");
  if (socket !== undefined && (parts.host !== "" || !socket.startsWith("/"))) {
    return bad(
      "host= names another host",
      "the host before the database; host= is for the folder of a socket",
    );
  }
  if (socket === undefined && parts.host === "") return bad("the host is missing");
  const tls = socket === undefined ? tlsOf(options.get("sslmode")) : "none";
  if (typeof tls !== "string") return tls;
  const root = options.get("sslrootcert");
  return {
    ...parts,
    host: socket ?? parts.host,
    database,
    schema,
    tls,
    authority: root === undefined || root === "system" ? null : resolve(folder, root),
    isOpen: tls === "none" && socket === undefined && !isLoopback(parts.host),
  };
}

type Authority = Pick<PostgresTarget, "host" | "port" | "user" | "password">;

function readAuthority(authority: string): Authority | UrlTrouble {
  const at = authority.lastIndexOf("@");
  const [name = "", ...rest] = authority.slice(0, Math.max(at, 0)).split(":");
  const user = decoded(name);
  const password = rest.length === 0 ? null : decoded(rest.join(":"));
  if (user === null || (rest.length > 0 && password === null)) {
    return bad("a % in user or password is no escape", "%25 for %, %40 for @, %2F for /");
  }
  if (user === "") return bad("the user is missing before the host");
  const hosts = authority.slice(at + 1);
  if (hosts.includes(",")) {
    return bad("several hosts are not supported", "one host: the name that leads to the primary");
  }
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]*))(?::(\d*))?$/i.exec(hosts);
  if (match === null) return bad("host or port is malformed");
  const host = decoded(match[1] ?? match[2] ?? "");
  if (host === null || /[\s/\\]/.test(host)) return bad("the host is malformed");
  const port = match[3] === undefined || match[3] === "" ? 5432 : Number(match[3]);
  if (port < 1 || port > 65_535) return bad("the port is not one from 1 to 65535");
  return { host, port, user, password };
}

function readOptions(query: string): Map<string, string> | UrlTrouble {
  const options = new Map<string, string>();
  for (const pair of query === "" ? [] : query.split("&")) {
    const [name = "", value = ""] = pair.split(/=(.*)/s).map((one) => decoded(one) ?? "");
    if (!PARAMETERS.some((one) => one === name)) {
      const close = nearest(name, PARAMETERS);
      // What stands there may be a part of a password.
      return bad(
        close === null ? "it has an unknown parameter" : `an unknown parameter looks like ${close}`,
        `only ${PARAMETERS.join(", ")}`,
      );
    }
    if (options.has(name)) return bad(`${name}= stands twice`);
    if (value === "") return bad(`${name}= is empty`);
    options.set(name, value);
  }
  return options;
}

function tlsOf(mode: string | undefined): PostgresTarget["tls"] | UrlTrouble {
  // As strict as the strictest: what asks for encryption alone would speak to anybody.
  if (mode === undefined || mode === "verify-full" || mode === "require") return "full";
  if (mode === "verify-ca") return "ca";
  if (mode === "disable") return "none";
  return bad("sslmode= is none that is supported", "verify-full, verify-ca or disable");
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function bad(trouble: string, expected: string = SHAPE): UrlTrouble {
  return { trouble, expected };
}
