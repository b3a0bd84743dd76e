/**
 * The code of an error, such as `ENOENT`, which may be printed; of a host that fails at several addresses that of the
 * first. Null: it has none.
 */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ("code" in error && typeof error.code === "string" && /^\w{1,64}$/.test(error.code)) {
    return error.code;
  }
  return error instanceof AggregateError ? errorCode(error.errors[0]) : null;
}
