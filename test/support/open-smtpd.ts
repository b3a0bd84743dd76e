import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ParsedMail, simpleParser } from "mailparser";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

export interface OpenSmtpd {
  readonly port: number;
  /** Resolves once so many mails lie in the mailbox, in the order of their own dates. */
  mails(count: number): Promise<readonly ParsedMail[]>;
  close(): Promise<void>;
}

/** Whether the program is there and may run: it needs root for its queue. */
export function hasOpenSmtpd(): boolean {
  const found = spawnSync("smtpd", ["-h"], { stdio: "ignore" }).error === undefined;
  return found && process.getuid?.() === 0;
}

/**
 * A real OpenSMTPD on loopback for the domain example.org, which knows `lp` and `ann`. Only one runs on
 * a machine at a time: its queue has one place. It speaks no TLS and so takes no login: the build of
 * Debian 12 breaks off every handshake (OpenSMTPD's issue 1171).
 */
export async function startOpenSmtpd(): Promise<OpenSmtpd> {
  const folder = await mkdtemp(join(tmpdir(), "tickwatch-smtpd-"));
  const box = join(folder, "box");
  const port = await freePort();
  // The mailbox belongs to a user that is not root, to whom it would deliver nothing.
  await chmod(folder, 0o755);
  await mkdir(box);
  await chmod(box, 0o777);
  const config = join(folder, "smtpd.conf");
  await writeFile(
    config,
    [
      'table people { "lp@example.org" = "nobody", "ann@example.org" = "nobody" }',
      `listen on 127.0.0.1 port ${port} hostname localhost`,
      `action "keep" maildir "${box}" virtual <people>`,
      'match from any for domain "example.org" action "keep"',
      "",
    ].join("\n"),
    { mode: 0o600 },
  );
  const child = spawn("smtpd", ["-d", "-f", config], { stdio: ["ignore", "pipe", "pipe"] });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => said.push(text));
  }
  try {
    await untilListening(child, port, said);
  } catch (error) {
    await end(child);
    throw error;
  }
  return {
    port,
    mails: (count) => mailsIn(box, count, child, said),
    async close() {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilListening(child: ChildProcess, port: number, said: string[]): Promise<void> {
  await lookFor(child, said, async () => {
    const socket = connect(port, "127.0.0.1");
    const open = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    return open ? true : null;
  });
}

async function mailsIn(
  box: string,
  count: number,
  child: ChildProcess,
  said: string[],
): Promise<readonly ParsedMail[]> {
  const fresh = join(box, "new");
  const names = await lookFor(child, said, async () => {
    const all = await readdir(fresh).catch(() => []);
    return all.length >= count ? all : null;
  });
  const mails = await Promise.all(
    names.map(async (name) => await simpleParser(await readFile(join(fresh, name)))),
  );
  return mails.toSorted((a, b) => (a.date?.getTime() ?? 0) - (b.date?.getTime() ?? 0));
}

/** What another process does sends no signal, so it is looked at until it is there. */
async function lookFor<T>(
  child: ChildProcess,
  said: readonly string[],
  look: () => Promise<T | null>,
): Promise<T> {
  let found: T | null = null;
  const isThere = async (): Promise<boolean> => {
    found = await look();
    if (found === null && child.exitCode !== null) {
      throw new Error(`OpenSMTPD has ended:\n${said.join("")}`);
    }
    return found !== null;
  };
  await until(isThere, () => said.join(""));
  if (found === null) throw new Error("it is gone again");
  return found;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
