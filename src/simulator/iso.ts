/** Epoch milliseconds as the specification's "ISO 8601 UTC": whole seconds, cut. */
export function isoTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** The UTC day that a time (epoch ms) lies in, YYYY-MM-DD. */
export function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
