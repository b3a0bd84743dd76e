import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../support/free-port.ts";
import { until } from "../../support/until.ts";
import { type Server, unprivileged } from "./server.ts";

/** Whether a real pooler is there. */
export function hasBouncer(): boolean {
  return spawnSync("pgbouncer", ["--version"], { stdio: "ignore" }).error === undefined;
}

export interface Bouncer {
  readonly port: number;
  close(): Promise<void>;
}

/** A PgBouncer before the server. */
export async function startBouncer(
  server: Server,
  mode: "session" | "transaction",
): Promise<Bouncer> {
  const folder = mkdtempSync(join(tmpdir(), "tickwatch-bouncer-"));
  const port = await freePort();
  const config = join(folder, "bouncer.ini");
  const users = join(folder, "users.txt");
  writeFileSync(users, '"owner" ""\n');
  writeFileSync(
    config,
    [
      "[databases]",
      `* = host=127.0.0.1 port=${server.port}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = trust",
      `auth_file = ${users}`,
      `pool_mode = ${mode}`,
      "default_pool_size = 10",
      "",
    ].join("\n"),
  );
  const user = unprivileged();
  if (user !== null) {
    for (const path of [folder, config, users]) chownSync(path, user.uid, user.gid);
  }
  const child = spawn("pgbouncer", [config], {
    ...user,
    cwd: "/",
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const hasAnswered = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`the pooler did not start: ${said}`);
    return await answers(port);
  };
  await until(hasAnswered, () => said);
  return {
    port,
    async close() {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
