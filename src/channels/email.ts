import { createHash } from "node:crypto";
import { domainToASCII } from "node:url";
import { withDeadline } from "../base/clock.ts";
import { keepNewest } from "../base/keep-newest.ts";
import type { Message } from "../model/index.ts";
import type { Channel, ChannelKind, Outcome } from "./channel.ts";
import { freezeMail, type Mail, readMail } from "./email-body.ts";
import {
  isOfTheChannel,
  isPassing,
  outcomeOfTrouble,
  type Refusal,
  readRefusals,
  readTrouble,
  replyText,
} from "./email-outcome.ts";
import { type EmailSettings, emailSettings, type Mailbox, readServer } from "./email-settings.ts";
import { type DaemonPage, pageLink } from "./text.ts";

/** Mail over SMTP: one transaction a message, to all recipients. */
export const emailKind: ChannelKind<EmailSettings> = {
  kind: "email",
  settings: emailSettings,
  open: (settings, { page = () => null }) => {
    const server = readServer(settings.smtp);
    if (server === null) throw new Error("the mail server's address was not checked");
    return new EmailChannel(settings, server, page);
  },
};

class EmailChannel implements Channel {
  readonly digests = true;
  /** How far messages came that were not sent to all yet; of those the last few. */
  readonly #progress = new Map<string, Progress>();

  constructor(
    private readonly settings: EmailSettings,
    private readonly server: NonNullable<ReturnType<typeof readServer>>,
    private readonly page: () => DaemonPage | null,
  ) {}

  render = (notice: Parameters<Channel["render"]>[0]): string =>
    JSON.stringify(freezeMail(notice, pageLink(notice, this.page())));

  async send(message: Message, signal: AbortSignal): Promise<Outcome> {
    const mail = readMail(message.body);
    if (mail === null) return { status: "dead", reason: "the stored message cannot be read" };
    const before = this.#progress.get(message.id) ?? NO_PROGRESS;
    const missing = this.settings.to.filter(({ address }) => !before.done.has(address));
    let late = false;
    let refused: readonly Refusal[];
    try {
      refused = await withDeadline(this.settings.timeout, signal, async (limited) => {
        limited.addEventListener("abort", () => {
          late = !signal.aborted;
        });
        return await this.#transfer(message.id, mail, missing, limited);
      });
    } catch (error) {
      if (signal.aborted) return { status: "retry", reason: "interrupted" };
      if (late) return { status: "retry", reason: "timed out" };
      const trouble = readTrouble(error);
      if (trouble.command !== "RCPT TO" || trouble.refused.length === 0) {
        return outcomeOfTrouble(trouble);
      }
      ({ refused } = trouble);
    }
    const passing = refused.filter(({ reply }) => isPassing(reply));
    const open = new Set(passing.map(({ recipient }) => recipient));
    const now: Progress = {
      done: new Set([...before.done, ...addressesOf(missing).filter((one) => !open.has(one))]),
      anybody: before.anybody || refused.length < missing.length,
    };
    this.#keep(message.id, open.size === 0 ? null : now);
    return this.#outcomeOf(refused, open.size > 0, now.anybody);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** One SMTP session; resolves to the recipients that were refused while others were not. */
  async #transfer(
    id: string,
    mail: Mail,
    missing: readonly Mailbox[],
    signal: AbortSignal,
  ): Promise<readonly Refusal[]> {
    const { from, to, timeout } = this.settings;
    const { host, port, secure, login } = this.server;
    const domain = domainToASCII(from.address.slice(from.address.lastIndexOf("@") + 1));
    const root = `<thread.${mail.thread}@${domain}>`;
    const { createTransport } = await import("nodemailer");
    const transport = createTransport({
      host,
      port,
      secure,
      requireTLS: !secure && this.#mustUpgrade(),
      tls: this.#tls(),
      // Without forceAuth a server that offers no login would be sent the mail without one.
      ...(login === null ? {} : { auth: login, forceAuth: true }),
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      dnsTimeout: timeout,
      socketCloseTimeout: 500,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const { rejectedErrors = [] } = await transport.sendMail({
      from,
      to: [...to],
      envelope: { from: from.address, to: [...addressesOf(missing)] },
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      attachments: (mail.images ?? []).map(({ id: cid, png }, place) => ({
        filename: `${place + 1}.png`,
        cid,
        content: png,
        encoding: "base64",
        contentType: "image/png",
        contentDisposition: "inline",
      })),
      textEncoding: "quoted-printable",
      // A retry is the same mail, to the byte: programs that know its id drop the second.
      messageId: `<${safeId(id)}@${domain}>`,
      baseBoundary: safeId(id),
      date: new Date(mail.at),
      // Mail programs put under one thread what refers to the same ancestor, also one that they
      // never received: so every mail about an alert, the first included, replies to a root that
      // is made of the alert's identity alone and was never sent.
      inReplyTo: root,
      references: root,
      xMailer: false,
      headers: {
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
        "X-Tickwatch-Notice": mail.notice.replace(/[^\w.-]/g, "").slice(0, 64),
      },
      signal,
    });
    return readRefusals(rejectedErrors);
  }

  #mustUpgrade(): boolean {
    const { starttls } = this.settings;
    return starttls === undefined ? !this.server.loopback : starttls === "required";
  }

  /** An attacker who could forge a certificate could also suppress an upgrade that is not required. */
  #tls(): { ca?: string; minVersion: "TLSv1.2"; rejectUnauthorized: boolean } {
    const { ca } = this.settings;
    const checked = ca !== undefined || this.server.secure || this.#mustUpgrade();
    return {
      ...(ca === undefined ? {} : { ca }),
      minVersion: "TLSv1.2",
      rejectUnauthorized: checked,
    };
  }

  /** The outcome for refused recipients, if there are any. */
  #outcomeOf(refused: readonly Refusal[], passing: boolean, anybody: boolean): Outcome {
    if (refused.length === 0) return { status: "sent" };
    const addresses = addressesOf(this.settings.to);
    const told = refused.map(({ recipient, reply }) => {
      // By its place: an address is often the name that logs in.
      const place = addresses.indexOf(recipient) + 1;
      return `recipient ${place} of ${addresses.length}: ${replyText(reply)}`;
    });
    const reason = told.join("; ");
    if (passing) return { status: "retry", reason };
    if (anybody) return { status: "sent", note: reason };
    return refused.every(({ reply }) => reply !== null && isOfTheChannel(reply))
      ? { status: "parked", reason }
      : { status: "dead", reason };
  }

  /** A retry goes to those alone that do not have the message yet. */
  #keep(id: string, progress: Progress | null): void {
    if (progress === null) this.#progress.delete(id);
    else keepNewest(this.#progress, id, progress, MOST_PROGRESS);
  }
}

/** How far a message came. */
interface Progress {
  /** Who has it, or will never take it. */
  readonly done: ReadonlySet<string>;
  readonly anybody: boolean;
}

const NO_PROGRESS: Progress = { done: new Set(), anybody: false };
const MOST_PROGRESS = 100;

function addressesOf(boxes: readonly Mailbox[]): readonly string[] {
  return boxes.map(({ address }) => address);
}

/** An id that may stand in a header; another one is replaced by its hash. */
function safeId(id: string): string {
  if (/^[\w-]{1,64}$/.test(id)) return id;
  return createHash("sha256").update(id).digest("hex").slice(0, 24);
}
