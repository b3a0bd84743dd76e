/** Things by two texts. One text of both would have to be made, and kept, for each of them. */
export class ByPair<Thing> {
  readonly #all = new Map<string, Map<string, Thing>>();

  get(first: string, second: string): Thing | undefined {
    return this.#all.get(first)?.get(second);
  }

  set(first: string, second: string, thing: Thing): void {
    const others = this.#all.get(first);
    if (others === undefined) this.#all.set(first, new Map([[second, thing]]));
    else others.set(second, thing);
  }

  /** Returns what was there. */
  take(first: string, second: string): Thing | undefined {
    const others = this.#all.get(first);
    const thing = others?.get(second);
    if (thing !== undefined) others?.delete(second);
    return thing;
  }

  *values(): Generator<Thing> {
    for (const others of this.#all.values()) yield* others.values();
  }
}
