/** Why a channel delivers nothing. */
export interface ChannelTrouble {
  /** Its first failure since it delivered last, epoch milliseconds. */
  readonly since: number;
  /** What it says now, clean and without secrets. */
  readonly reason: string;
  /** The channel itself refuses everything; else it only cannot be reached. */
  readonly rejects: boolean;
  /** The other channels were told. */
  readonly told: boolean;
}

/** For the mark `CHANNELS_MARK`. */
export function troublesToText(troubles: ReadonlyMap<string, ChannelTrouble>): string {
  return JSON.stringify(Object.fromEntries(troubles));
}

/** Reads what was written down; anything else is as if there were nothing. */
export function troublesFromText(text: string | null): ReadonlyMap<string, ChannelTrouble> {
  const found = new Map<string, ChannelTrouble>();
  const read: unknown = text === null ? null : JSON.parse(text);
  for (const [channel, value] of Object.entries(membersOf(read))) {
    const { since, reason, rejects, told } = membersOf(value);
    if (typeof since !== "number" || typeof reason !== "string") continue;
    found.set(channel, { since, reason, rejects: rejects === true, told: told === true });
  }
  return found;
}

function membersOf(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
