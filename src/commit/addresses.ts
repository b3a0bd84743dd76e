import type { Setup, SubjectMarks } from "../model/index.ts";

/** Under which name the store keeps the addresses of the service, among the marks. */
export const ADDRESSES_MARK = "service:addresses";

/** An address of the service that is another one than in the run before. */
interface Moved {
  /** The configuration's key. */
  readonly base: string;
  readonly from: string;
  readonly to: string;
}

/** The addresses of the service over all runs. */
export interface Addresses {
  /** How often the address under each key of the configuration has changed; absent: never. */
  readonly eras: ReadonlyMap<string, number>;
  readonly moved: readonly Moved[];
  /** What to write down; null: nothing is new. */
  readonly mark: SubjectMarks | null;
}

/**
 * Holds the addresses of the configuration against those that the store has seen last (`text`). One that
 * is taken away and put back is still the same.
 */
export function readAddresses(text: string | undefined, service: Setup["service"]): Addresses {
  const known = new Map(knownFrom(text));
  const moved: Moved[] = [];
  let isNew = false;
  for (const [base, url] of [
    ["base_url", service.baseUrl],
    ["legacy_base_url", service.legacyBaseUrl ?? null],
  ] as const) {
    if (url === null) continue;
    const to = addressOf(url);
    const before = known.get(base);
    if (before?.address === to) continue;
    isNew = true;
    known.set(base, { address: to, era: before === undefined ? 0 : before.era + 1 });
    if (before !== undefined) moved.push({ base, from: before.address, to });
  }
  const entries = [...known].map(([base, { address, era }]) => [base, address, era]);
  return {
    eras: new Map([...known].map(([base, { era }]) => [base, era])),
    moved,
    mark: isNew ? { subject: ADDRESSES_MARK, value: JSON.stringify(entries) } : null,
  };
}

/** As much of an address as says where it leads: no secret that somebody may have put into it. */
function addressOf(url: string): string {
  if (!URL.canParse(url)) return "";
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`.replace(/\/+$/, "");
}

interface Known {
  readonly address: string;
  readonly era: number;
}

function knownFrom(text: string | undefined): (readonly [string, Known])[] {
  const list: unknown = text === undefined ? [] : JSON.parse(text);
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const [base, address, era] = Array.isArray(entry) ? (entry as readonly unknown[]) : [];
    const isWhole = typeof base === "string" && typeof address === "string";
    return isWhole && typeof era === "number" ? [[base, { address, era }] as const] : [];
  });
}
