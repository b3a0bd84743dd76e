/**
 * The code of an error, such as `ENOENT`, which may be printed. The error of a host that fails at several addresses has
 * that of the first. Null: it has none.
 */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error)) return null;
  return typeof error.code === "string" && /^\w{1,64}$/.test(error.code) ? error.code : null;
}
