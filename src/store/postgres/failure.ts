import { StoreError } from "../store.ts";

/** The code of an error: five characters of the server's (SQLSTATE), or a name such as ECONNREFUSED. */
export function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}

/** The server said it, and not the network or the driver. */
export function isAnswer(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(codeOf(error) ?? "") && error instanceof Error && "severity" in error;
}

/** Another try in a new transaction may succeed: a deadlock, or two that got into each other's way. */
export function isPassing(error: unknown): boolean {
  return isAnswer(error) && (codeOf(error) ?? "").startsWith("40");
}

/** The connection is gone or about to go: it must not be used again. */
export function endsConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return isAnswer(error) ? ENDING.test(codeOf(error) ?? "") : true;
}

/** Shut down, crashed, ended for idling; connection lost. Source: PostgreSQL, appendix A. */
const ENDING = /^(57P0[1-5]|25P0[34]|08...)$/;

/**
 * Turns an error of the server, the network or the driver into a StoreError of one line that says what to do, and
 * never repeats the URL. Anything else (a fault of the program) comes back as it was. `where` names the store.
 */
export function storeFailure(error: unknown, where: string): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  const code = codeOf(error);
  const advice = isAnswer(error) ? adviceOn(code ?? "") : reachAdvice(code, error.message);
  if (advice === null) return error;
  return unusable(where, `${plainly(firstLine(error.message))}: ${advice}`, error);
}

/** `why` ends with what to do. */
export function unusable(where: string, why: string, cause?: unknown): StoreError {
  return new StoreError("unwritable", `cannot use ${where}: ${why}`, { cause });
}

/** What a user does about what the server said; null: it is a fault of the program. */
function adviceOn(code: string): string | null {
  if (code === "53100") return "free some space on the server's disk";
  if (code === "53300") return "raise the server's max_connections, or close other connections";
  if (code.startsWith("53") || code === "58030") return "look after the server";
  if (code.startsWith("28"))
    return "check user and password in `store`, and the server's pg_hba.conf";
  if (code === "3D000") return "create the database, or name another one in `store`";
  if (code === "42501")
    return "grant the role what docs/postgres.md lists, or use the schema's owner";
  if (code === "25006") return "it is a standby: give the address of the primary";
  if (code === "57014" || code === "55P03" || code.startsWith("40")) {
    return "something holds the server up or locks the tables";
  }
  if (/^(57P|08|25P0|58|XX)/.test(code)) return "check the server";
  // The tables are not there (any more), or not as they were made.
  if (code === "42P01" || code === "3F000") return "the schema is not whole: restore a backup";
  return null;
}

/** Errors of the network, of TLS and of the driver. */
function reachAdvice(code: string | null, message: string): string | null {
  if (code !== null && /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|HOSTNAME/.test(code)) {
    return "give the authority's certificate with sslrootcert=, or use the name that the certificate has";
  }
  if (/does not support SSL/.test(message)) {
    return "let the server speak TLS; without it passwords and data are open to the network (sslmode=disable)";
  }
  if (code !== null && /^E[A-Z_]+$/.test(code))
    return "check the server and the address in `store`";
  if (/password|SASL|SCRAM/i.test(message)) return "check user and password in `store`";
  if (/[Cc]onnection terminated|not queryable|timeout expired|ended|closed/.test(message)) {
    return "check the server and the network";
  }
  return null;
}

/** What the driver says in words of its own, in the words of everybody. */
function plainly(message: string): string {
  if (/not queryable|[Cc]onnection terminated/.test(message)) return "the connection was lost";
  if (/password must be a (non-empty )?string/.test(message)) {
    return "the server asks for a password, and the URL has none";
  }
  return message;
}

function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").slice(0, 200);
}
