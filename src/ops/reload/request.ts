/** How the request to load files is written that is for one daemon of a cluster, and holds whatever was in force before. */
export function forcedRequest(member: string, id: string): string {
  return `force ${id} ${member}`;
}

/** For which daemon a request is; null: for all of them, who load what is new. */
export function forcedMember(request: string): string | null {
  return /^force \S+ (?<member>.+)$/s.exec(request)?.groups?.member ?? null;
}
