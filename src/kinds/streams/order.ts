import type { Item, Order } from "./item.ts";

/**
 * How a list is sorted, from its first page and one that lies behind it, whose first entries may be
 * the last of the first. The order within a page says nothing: a service may take the newest and
 * turn them around. Null: the pages do not differ.
 */
export function orderOf(
  first: readonly Item<unknown>[],
  later: readonly Item<unknown>[],
): Order | null {
  const shown = new Map<string, number>();
  for (const { hash } of first) shown.set(hash, (shown.get(hash) ?? 0) + 1);
  const behind = later.filter(({ hash }) => {
    const left = shown.get(hash) ?? 0;
    shown.set(hash, left - 1);
    return left <= 0;
  });
  if (behind.length === 0 || first.length === 0) return null;
  // All of the first page again, one page on: so much has come before it meanwhile.
  if (later.length - behind.length === first.length) return "newest first";
  // Quarters: a few entries that came late stand where they do not belong.
  const older = quarter(behind, 3) <= quarter(first, 1);
  const newer = quarter(behind, 1) >= quarter(first, 3);
  if (older && newer) return null;
  if (older) return "newest first";
  return newer ? "oldest first" : "mixed";
}

/** The place below which so many quarters of the items lie. */
function quarter(items: readonly Item<unknown>[], count: 1 | 3): number {
  const places = items.map(({ place }) => place).toSorted((a, b) => a - b);
  return places[Math.floor(((places.length - 1) * count) / 4)] ?? 0;
}
