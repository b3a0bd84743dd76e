/** What is tied together, as sets that do not overlap; some of it counts. */
export class Components {
  readonly #parents = new Map<string, string>();
  /** By the root of each how much of it counts. */
  readonly #sizes = new Map<string, number>();

  /** False: it is there already. */
  add(node: string, counts: boolean): boolean {
    if (this.#parents.has(node)) return false;
    this.#parents.set(node, node);
    if (counts) this.#sizes.set(node, 1);
    return true;
  }

  get nodes(): Iterable<string> {
    return this.#parents.keys();
  }

  /** How much counts. */
  get size(): number {
    return [...this.#sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  join(one: string, other: string): void {
    const [a, b] = [this.rootOf(one), this.rootOf(other)];
    // The smallest is the root, whatever the order in which they are joined.
    const [root, joined] = a < b ? [a, b] : [b, a];
    this.#parents.set(joined, root);
    if (root === joined) return;
    this.#sizes.set(root, (this.#sizes.get(root) ?? 0) + (this.#sizes.get(joined) ?? 0));
    this.#sizes.delete(joined);
  }

  /** Joins all of them, unless more than `most` of that would count. False: they stay as they are. */
  joinUpTo(most: number, nodes: readonly string[]): boolean {
    const roots = new Set(nodes.map((node) => this.rootOf(node)));
    const size = [...roots].reduce((sum, root) => sum + (this.#sizes.get(root) ?? 0), 0);
    if (roots.size > 1 && size > most) return false;
    const [first, ...others] = roots;
    for (const other of others) if (first !== undefined) this.join(first, other);
    return true;
  }

  /** The same for all that is tied together; of what is not known it is itself. */
  rootOf(node: string): string {
    let at = node;
    for (let up = this.#parents.get(at) ?? at; up !== at; up = this.#parents.get(at) ?? at) {
      const above = this.#parents.get(up) ?? up;
      this.#parents.set(at, above);
      at = above;
    }
    return at;
  }
}
