/** The same methods where the database may be on another machine: each answers later. */
export type Promised<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Result>
    : never;
};

/** Methods that answer at once, for who waits; what they throw comes as a rejection. */
export function promised<T extends object>(methods: T): Promised<T> {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]: [string, (...args: unknown[]) => unknown]) => [
      name,
      async (...args: unknown[]) => method(...args),
    ]),
  ) as Promised<T>;
}
