import type { AddressInfo } from "node:net";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Whether it came over TLS, and who had logged in. */
  readonly secure: boolean;
  readonly user: string | null;
  readonly raw: string;
  readonly parsed: ParsedMail;
}

export interface MailServer {
  readonly port: number;
  readonly received: readonly ReceivedMail[];
  close(): Promise<void>;
}

/** What the server refuses, by command; null: it takes it. */
export interface Refusals {
  from?: (address: string) => string | null;
  to?: (address: string) => string | null;
  data?: () => string | null;
  login?: (user: string, pass: string) => string | null;
}

/** A real SMTP server on loopback that keeps what it is sent; refusals are replies such as `550 No`. */
export async function startMailServer(
  refusals: Refusals = {},
  options: SMTPServerOptions = {},
): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const answer = (reply: string | null): Error | null => {
    if (reply === null) return null;
    return Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) });
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    closeTimeout: 5,
    onMailFrom: ({ address }, _session, done) => done(answer(refusals.from?.(address) ?? null)),
    onRcptTo: ({ address }, _session, done) => done(answer(refusals.to?.(address) ?? null)),
    onAuth: ({ username, password }, _session, done) => {
      const error = answer(refusals.login?.(username ?? "", password ?? "") ?? null);
      if (error === null) done(null, { user: username ?? "" });
      else done(error);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const error = answer(refusals.data?.() ?? null);
        if (error !== null) return done(error);
        const raw = Buffer.concat(chunks).toString("latin1");
        const { mailFrom, rcptTo } = session.envelope;
        void simpleParser(Buffer.concat(chunks)).then((parsed) => {
          received.push({
            from: mailFrom === false ? "" : (mailFrom?.address ?? ""),
            to: rcptTo.map(({ address }) => address),
            secure: session.secure,
            user: typeof session.user === "string" ? session.user : null,
            raw,
            parsed,
          });
          done();
        });
      });
    },
    ...options,
  });
  // Clients that break off are part of the tests.
  server.on("error", () => {});
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}
