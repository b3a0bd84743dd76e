import { systemClock } from "../base/clock.ts";
import { formatDuration } from "../base/duration.ts";
import { type MemberView, readMembers } from "../cluster/members-view.ts";
import { loadStorePlace } from "../config/settings/read-config.ts";
import { EXIT, type Io } from "./io.ts";
import { countOf, iso, print } from "./report.ts";

/**
 * `tickwatch status --cluster`: the daemons on a store; the exit code is 1 where nobody watches. Throws ConfigError
 * and StoreError.
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
  const members = await readMembers(place);
  const watching = members.find(({ works, leftMs }) => works && leftMs > 0);
  print(options, io, {
    value: () => ({
      watching: watching?.name ?? null,
      members: members.map(({ joinedAt, leftMs, ...member }) => ({
        ...member,
        joined_at: iso(joinedAt),
        lease_left_ms: leftMs,
      })),
    }),
    page: () => page(members, watching ?? null),
  });
  return watching === undefined ? EXIT.found : EXIT.fine;
}

function page(members: readonly MemberView[], watching: MemberView | null): string {
  const now = systemClock().now();
  const head =
    watching === null
      ? `NOBODY WATCHES: ${countOf(members.length, "daemon")} in the cluster`
      : `${watching.name} watches; ${countOf(members.length - 1, "daemon")} can take over`;
  const width = Math.max(0, ...members.map(({ name }) => name.length));
  return [
    head,
    ...members.map((member) => {
      const does = member.leftMs <= 0 ? "silent " : member.works ? "watches" : "waits  ";
      const since = formatDuration(Math.max(0, now - member.joinedAt));
      const differs = [
        ...(watching !== null && member.version !== watching.version ? ["another version"] : []),
        ...(watching !== null && member.config !== watching.config ? ["other rules"] : []),
      ].map((what) => `, ${what}`);
      const { name, version } = member;
      return `  ${name.padEnd(width)}  ${does}  version ${version}, here for ${since}${differs.join("")}`;
    }),
  ].join("\n");
}
