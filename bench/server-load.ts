import { readdirSync, readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import type { Server } from "../test/postgres/support/processes.ts";

/** Ticks of CPU in /proc, a second. Source: proc(5), `getconf CLK_TCK`, which is so on every Linux of today. */
const TICKS = 100;

/** What a server did in a time. */
export interface Load {
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Changes that daemons committed. */
  readonly commits: number;
  /** Bytes of its log. */
  readonly logged: number;
}

/** Called at the beginning and at the end of what counts; then `load` says what came of it. */
export class LoadMeter {
  readonly #looks: Load[] = [];

  constructor(
    private readonly server: Server,
    private readonly schema: string,
  ) {}

  async look(): Promise<void> {
    const { rows } = await this.server.sql(
      `SELECT coalesce(sum(seq), 0)::float8 AS commits,
         pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS logged
       FROM ${this.schema}.writers`,
    );
    const { commits, logged } = rows[0] as { readonly commits: number; readonly logged: number };
    const cpuMs = this.server.pid === null ? Number.NaN : cpuMsOf(this.server.pid);
    this.#looks.push({ wallMs: performance.now(), cpuMs, commits, logged });
  }

  get load(): Load {
    const [before, after] = this.#looks.slice(-2);
    if (before === undefined || after === undefined) throw new Error("nothing was measured");
    return {
      wallMs: after.wallMs - before.wallMs,
      cpuMs: after.cpuMs - before.cpuMs,
      commits: after.commits - before.commits,
      logged: after.logged - before.logged,
    };
  }
}

/** Of a process, its children and all of those that have ended. */
export function cpuMsOf(pid: number): number {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  let ticks = 0;
  for (const name of all) {
    const fields = statOf(name);
    const [parent, own, ended] = [Number(fields[1]), sum(fields, 11), sum(fields, 13)];
    if (Number(name) === pid) ticks += own + ended;
    else if (parent === pid) ticks += own;
  }
  return (ticks / TICKS) * 1_000;
}

/** What follows the name of the program, which may hold anything; the first is the state. */
function statOf(pid: string): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    // It has ended.
    return [];
  }
}

function sum(fields: readonly string[], at: number): number {
  return Number(fields[at] ?? 0) + Number(fields[at + 1] ?? 0);
}
