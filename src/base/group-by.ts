/** Things by their key, in the order in which keys and things come. Node 20 has no Map.groupBy. */
export function groupBy<Thing, Key>(
  things: Iterable<Thing>,
  keyOf: (thing: Thing) => Key,
): Map<Key, Thing[]> {
  const groups = new Map<Key, Thing[]>();
  for (const thing of things) {
    const key = keyOf(thing);
    const others = groups.get(key);
    if (others === undefined) groups.set(key, [thing]);
    else others.push(thing);
  }
  return groups;
}
