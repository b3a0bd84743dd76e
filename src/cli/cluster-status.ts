import { systemClock } from "../base/clock.ts";
import { formatDuration } from "../base/duration.ts";
import { countOf } from "../base/text.ts";
import { type ClusterState, type MemberView, readCluster } from "../cluster/members-view.ts";
import { loadStorePlace } from "../config/settings/read-config.ts";
import { EXIT, type Io } from "./io.ts";
import { iso, print } from "./report.ts";
import { rolloutLines } from "./rollout-lines.ts";

/** Of how many parts the work is. */
const SLOTS = 256;

/**
 * `tickwatch status --cluster`: the daemons on a store and their parts of the work; the exit code is 1 where nobody
 * does a part of it. Throws ConfigError and StoreError.
 */
export async function clusterStatus(
  options: { readonly config: string; readonly json?: boolean },
  io: Io,
): Promise<number> {
  const place = await loadStorePlace(options.config, io.env);
  if (typeof place === "string") {
    io.err("tickwatch: --cluster needs a PostgreSQL store; on a SQLite file there is one daemon\n");
    return EXIT.usage;
  }
  const state = await readCluster(place);
  const { members, free } = state;
  print(options, io, {
    value: () => ({
      members: members.map((member) => ({
        name: member.name,
        version: member.version,
        config: member.config,
        current_config: member.isCurrent,
        slots: member.slots,
        subjects: member.subjects,
        share_of_requests: Number((member.slots / SLOTS).toFixed(3)),
        channels: member.channels,
        keeper: member.keeps,
        waits_for: member.why,
        newest_config_problem: member.problem,
        older_files: member.hasOlderFiles,
        clock_ahead_ms: member.clockMs,
        joined_at: iso(member.joinedAt),
        lease_left_ms: member.leftMs,
      })),
      newer_config:
        state.rollout === null
          ? null
          : {
              by: state.rollout.by,
              loaded_at: iso(state.rollout.at),
              in_force: state.rollout.isBegun,
              slots: state.rollout.slots,
              waits_for: state.rollout.lacking,
            },
      unwatched: { slots: free.slots, channels: free.channels, overdue: free.isOverdue },
    }),
    page: () => page(state),
  });
  return free.isOverdue ? EXIT.found : EXIT.fine;
}

function page({ members, free, rollout }: ClusterState): string {
  const now = systemClock().now();
  const working = members.filter(({ slots, leftMs }) => slots > 0 && leftMs > 0).length;
  const missing = [
    ...(free.slots === 0 ? [] : [`${free.slots} of ${SLOTS} parts of the work`]),
    ...free.channels.map((name) => `channel ${name}`),
  ];
  const head =
    missing.length === 0
      ? `${countOf(working, "daemon")} share${working === 1 ? "s" : ""} the work`
      : `${free.isOverdue ? "NOBODY HAS" : "being taken over:"} ${missing.join(", ")}; ` +
        `${countOf(members.length, "daemon")} in the cluster`;
  const width = Math.max(0, ...members.map(({ name }) => name.length));
  const lines = members.map((member) => line(member, width, now));
  return [head, ...rolloutLines(rollout, now), ...lines].join("\n");
}

function line(member: MemberView, width: number, now: number): string {
  const { name, version, slots, subjects, channels, keeps, why, leftMs, isCurrent } = member;
  const { problem, hasOlderFiles, clockMs } = member;
  const share = `${String(Math.round((slots / SLOTS) * 100)).padStart(3)} %`;
  const facts = [
    leftMs <= 0 ? "SILENT" : countOf(subjects, "subject"),
    ...(channels.length === 0 ? [] : [`delivers to ${channels.join(", ")}`]),
    ...(keeps ? ["keeps house"] : []),
    ...(why === null ? [] : [`waits: ${why}`]),
    ...(problem === null ? [] : [`cannot take the newest configuration: ${problem}`]),
    ...(hasOlderFiles ? ["its own files are older"] : []),
    ...(clockMs === 0 ? [] : [clockWords(clockMs)]),
    ...(isCurrent || why !== null || problem !== null ? [] : ["other rules"]),
    `version ${version}`,
    `here for ${formatDuration(now - member.joinedAt)}`,
  ];
  return `  ${name.padEnd(width)}  ${share}  ${facts.join(", ")}`;
}

/** `its clock is 1 h ahead`: its log and its files have other times than the notices. */
function clockWords(ms: number): string {
  return `its clock is ${formatDuration(Math.abs(ms))} ${ms > 0 ? "ahead" : "behind"}`;
}
