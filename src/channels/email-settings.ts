import { domainToASCII } from "node:url";
import { z } from "zod";
import { isLoopback } from "../base/network.ts";
import { durationMs, kindOf, oneOf, plainText, refuse, secretText } from "../base/settings.ts";
import { addressTrouble, lineTrouble } from "../base/slips.ts";
import { Secret } from "../base/text.ts";

/** A mail server as its URL says. */
export interface Server {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps://`). */
  readonly secure: boolean;
  readonly login: { readonly user: string; readonly pass: string } | null;
  /** The traffic does not leave this machine. */
  readonly loopback: boolean;
}

export interface Mailbox {
  /** For people; may be empty. */
  readonly name: string;
  readonly address: string;
}

const SMTP_EXPECTED = "the mail server, such as smtps://user:password@mail.example.org";
const MAILBOX_EXPECTED = "an address such as lp@example.org or Tickwatch <tickwatch@example.org>";
const MOST_RECIPIENTS = 50;
const LONGEST_ADDRESS = 254;

/** The key `starttls` counts for `smtp://` only; absent: required, except on this machine. */
export const emailSettings = z
  .strictObject({
    smtp: smtpUrl(),
    from: mailbox(),
    to: recipients(),
    starttls: oneOf(["required", "opportunistic"]).optional(),
    ca: certificates().optional(),
    timeout: durationMs(1_000, 300_000).default(30_000),
  })
  .superRefine(({ smtp, starttls }, context) => {
    const server = readServer(smtp);
    if (server === null || starttls === undefined) return;
    const wrong = starttlsTrouble(server, starttls);
    if (wrong !== null) {
      context.addIssue({ code: "custom", path: ["starttls"], message: wrong, params: {} });
    }
  });

export type EmailSettings = z.infer<typeof emailSettings>;

function starttlsTrouble(server: Server, starttls: "required" | "opportunistic"): string | null {
  if (server.secure) return "smtps:// is encrypted from the start: leave starttls out";
  return starttls === "opportunistic" && server.login !== null && !server.loopback
    ? "opportunistic would send the password in the clear to whoever cuts TLS off"
    : null;
}

/** A URL with a password is a secret; one without is not, and need not come from elsewhere. */
function smtpUrl(): z.ZodType<Secret | string> {
  return secretText(SMTP_EXPECTED).transform((url, context) => {
    const text = url.reveal();
    const hint = { expected: SMTP_EXPECTED };
    const unseen = addressTrouble(text);
    if (unseen !== null) return refuse(context, "strange-character", unseen, hint);
    if (!/^smtps?:\/\//i.test(text)) {
      return refuse(context, "bad-url", "the value does not begin with smtp:// or smtps://", hint);
    }
    const server = readServer(url);
    if (server === null) {
      return refuse(
        context,
        "bad-url",
        "the value is not the address of a mail server (in user and password, write @ : / ? # % as %40 %3A %2F %3F %23 %25)",
        hint,
      );
    }
    if (server.login !== null && (server.login.user === "" || server.login.pass === "")) {
      return refuse(
        context,
        "bad-url",
        "the address has a user or a password without the other",
        hint,
      );
    }
    const { user = "", pass = "" } = server.login ?? {};
    const slip = lineTrouble(user, "the user name") ?? lineTrouble(pass, "the password");
    if (slip !== null) return refuse(context, "strange-character", slip, hint);
    return server.login === null ? text : url;
  });
}

/** The parts of the URL; null: it is not the `smtp://` or `smtps://` address of a server alone. */
export function readServer(smtp: Secret | string): Server | null {
  const text = smtp instanceof Secret ? smtp.reveal() : smtp;
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  if (hostname === "" || !/^\/?$/.test(pathname) || search !== "" || hash !== "") return null;
  const host = domainToASCII(hostname) || hostname;
  if (/[\s%]/.test(host)) return null;
  const secure = protocol === "smtps:";
  const [user, pass] = [decoded(username), decoded(password)];
  if (user === null || pass === null) return null;
  return {
    host: host.replace(/^\[|\]$/g, ""),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    login: user === "" && pass === "" ? null : { user, pass },
    loopback: isLoopback(host),
  };
}

function decoded(text: string): string | null {
  try {
    const plain = decodeURIComponent(text);
    return plain;
  } catch {
    return null;
  }
}

function mailbox(): z.ZodType<Mailbox> {
  return plainText(MAILBOX_EXPECTED).transform((text, context) => {
    // The name before it is for people, and may hold what joins an emoji.
    const unseen = lineTrouble((/<([^<>]*)>\s*$/.exec(text)?.[1] ?? text).trim());
    if (unseen !== null) return refuse(context, "strange-character", unseen, MAILBOX_EXPECTED);
    const box = readMailbox(text);
    return (
      box ?? refuse(context, "bad-setting", "the value is not a mail address", MAILBOX_EXPECTED)
    );
  });
}

/** One address, or a list of them. */
function recipients(): z.ZodType<readonly Mailbox[]> {
  const one = mailbox();
  return z
    .unknown()
    .transform((value, context) => {
      if (typeof value === "string" && isJoined(value)) {
        const expected = "a list such as [lp@example.org, treasury@example.org]";
        return refuse(
          context,
          "bad-setting",
          "the value holds several addresses in one text",
          expected,
        );
      }
      const items: readonly unknown[] = Array.isArray(value) ? value : [value];
      if (items.length === 0 || items.length > MOST_RECIPIENTS) {
        const expected = `1 to ${MOST_RECIPIENTS} addresses`;
        return refuse(context, "wrong-type", `is ${kindOf(value)} of ${items.length}`, expected);
      }
      const boxes = new Map<string, Mailbox>();
      for (const [place, item] of items.entries()) {
        const read = one.safeParse(item);
        if (read.success) boxes.set(read.data.address.toLowerCase(), read.data);
        for (const issue of read.error?.issues ?? []) {
          context.addIssue({
            code: "custom",
            message: issue.message,
            path: Array.isArray(value) ? [place] : [],
            params: issue.code === "custom" ? { ...issue.params } : {},
          });
        }
      }
      return [...boxes.values()];
    })
    .meta({
      anyOf: [
        { type: "string" },
        { type: "array", items: { type: "string" }, minItems: 1, maxItems: MOST_RECIPIENTS },
      ],
      description: "one address, or a list of them",
    });
}

/** As mail programs write several addresses. */
function isJoined(text: string): boolean {
  const parts = text.split(/[,;]/);
  return parts.length > 1 && parts.every((part) => readMailbox(part) !== null);
}

const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@([^\s@<>()[\]\\,;:"\p{Cc}]+)$/u;

/** `lp@example.org` or `Name <lp@example.org>`; null for anything else. */
function readMailbox(text: string): Mailbox | null {
  const named = /^([^<>\p{Cc}]*)<([^<>]*)>$/u.exec(text.trim());
  const address = (named?.[2] ?? text).trim();
  const domain = ADDRESS.exec(address)?.[1];
  if (domain === undefined || address.length > LONGEST_ADDRESS) return null;
  // In this form the server repeats it, and it may stand in a message's id.
  const ascii = domainToASCII(domain);
  if (ascii === "") return null;
  const name = (named?.[1] ?? "").trim().replace(/^"(.*)"$/, "$1");
  return { name, address: `${address.slice(0, -domain.length)}${ascii}` };
}

/** The text of a file with certificates, which `${file:…}` reads. */
function certificates(): z.ZodType<string> {
  const expected = `"\${file:ca.pem}", a file with certificates in PEM form`;
  return plainText(expected).superRefine((text, context) => {
    if (!text.trimStart().startsWith("-----BEGIN CERTIFICATE-----")) {
      refuse(context, "bad-setting", "the value holds no certificate", expected);
    }
  });
}
