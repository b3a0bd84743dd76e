import type { Outcome } from "./channel.ts";

/**
 * What a failed SMTP session means. A server's own words may repeat a name or an address, so only
 * its numbers are told: `SMTP 550 5.1.1`.
 */
export interface SmtpTrouble {
  /** The library's word for the kind of trouble. */
  readonly code: string;
  /** Node's own word behind it, such as `ECONNREFUSED`. */
  readonly cause: string;
  readonly command: string;
  /** The reply, null if there was none. */
  readonly reply: Reply | null;
  /** Only looked at, never told. */
  readonly message: string;
  /** Recipients that were refused, with what the server replied to each. */
  readonly refused: readonly Refusal[];
}

export interface Reply {
  readonly status: number;
  /** RFC 3463, such as `5.7.1`; empty if there is none. */
  readonly enhanced: string;
}

export interface Refusal {
  readonly recipient: string;
  readonly reply: Reply | null;
}

/** Reads an error of the library. */
export function readTrouble(error: unknown): SmtpTrouble {
  const fields = fieldsOf(error);
  const refused = Array.isArray(fields.rejectedErrors) ? fields.rejectedErrors : [];
  return {
    code: textOf(fields.code),
    cause: textOf(fields.originalCode) || textOf(fields.code),
    command: textOf(fields.command),
    reply: readReply(fields.response),
    message: textOf(fields.message),
    refused: readRefusals(refused),
  };
}

export function readRefusals(errors: readonly unknown[]): readonly Refusal[] {
  return errors.map((error) => {
    const { recipient, response } = fieldsOf(error);
    return { recipient: textOf(recipient), reply: readReply(response) };
  });
}

function readReply(response: unknown): Reply | null {
  const match = /^([245]\d{2})(?:[ -]([245]\.\d{1,3}\.\d{1,3})(?!\S))?/.exec(textOf(response));
  return match === null ? null : { status: Number(match[1]), enhanced: match[2] ?? "" };
}

/** `SMTP 550 5.1.1`. */
export function replyText(reply: Reply | null): string {
  if (reply === null) return "no reply";
  return `SMTP ${reply.status} ${reply.enhanced}`.trimEnd();
}

export function isPassing(reply: Reply | null): boolean {
  return reply === null || reply.status < 500 || reply.status === 503;
}

/**
 * Whether a refusal is of us and not of one mailbox: not logged in, no relaying, a sender that may
 * not send (5.7.x of RFC 3463 is security and policy).
 */
export function isOfTheChannel({ status, enhanced }: Reply): boolean {
  return [530, 534, 535, 538].includes(status) || enhanced.startsWith("5.7.");
}

/** 5.7.20 to 5.7.29 of RFC 7372 and RFC 8601: the sender's domain did not prove itself. */
function isUnproven({ enhanced }: Reply): boolean {
  return /^5\.7\.2\d$/.test(enhanced);
}

/** The outcome of a failed session, unless only recipients were refused. */
export function outcomeOfTrouble(trouble: SmtpTrouble): Outcome {
  const { code, command, reply } = trouble;
  if (code === "EAUTH") {
    // Without a reply the server does not take logins at all.
    return reply !== null && reply.status < 500
      ? retry(`the login failed: ${replyText(reply)}`)
      : parked(`the server rejected the login: ${replyText(reply)}`);
  }
  if (reply === null) return outcomeOfSilence(trouble);
  const said = replyText(reply);
  // Also with 503, which elsewhere is a slip of the session.
  if (command === "STARTTLS" && reply.status >= 500) {
    return parked(`the server rejected STARTTLS: ${said}`);
  }
  if (isPassing(reply)) return retry(said);
  if (command === "MAIL FROM" && reply.status !== 552) {
    return parked(`the server rejected the sender: ${said}`);
  }
  if (code === "EMESSAGE" || code === "EENVELOPE") {
    return isUnproven(reply)
      ? parked(`the server rejected the sender: ${said}`)
      : { status: "dead", reason: `the server rejected the mail: ${said}` };
  }
  return parked(`the server rejected it: ${said}`);
}

/** The library's errors that say nothing of a reply. */
function outcomeOfSilence({ code, cause, command, message }: SmtpTrouble): Outcome {
  if (cause.includes("CERT") || cause.startsWith("UNABLE_TO_")) {
    return parked(`the server's certificate is not trusted (${cause})`);
  }
  // After STARTTLS the library keeps only the sentence about a refused certificate.
  if (code === "ETLS" && /certificate|altnames|issuer/i.test(message)) {
    return parked("the server's certificate is not trusted");
  }
  if (code === "ETLS") return retry("TLS could not be set up");
  // Such as TLS from the start at a port that begins in the clear.
  if (/^ERR_SSL_\w+$/.test(cause)) return retry(`TLS could not be set up (${cause})`);
  if (code === "EMESSAGE" && command === "MAIL FROM") {
    return { status: "dead", reason: "the mail is larger than the server allows" };
  }
  if (code === "ETIMEDOUT") return retry("timed out");
  return retry(KNOWN_CAUSES.has(cause) ? `no answer (${cause})` : "no answer");
}

const KNOWN_CAUSES: ReadonlySet<string> = new Set([
  "ECONNECTION",
  "ECONNREFUSED",
  "ECONNRESET",
  "EAI_AGAIN",
  "EDNS",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "EPROTOCOL",
  "ETIMEDOUT",
]);

function retry(reason: string): Outcome {
  return { status: "retry", reason };
}

function parked(reason: string): Outcome {
  return { status: "parked", reason };
}

function fieldsOf(error: unknown): Partial<Record<string, unknown>> {
  if (typeof error !== "object" || error === null) return {};
  return error instanceof Error ? { ...error, message: error.message } : { ...error };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
