/**
 * Runs `work` for at most `ms` of real time, or until `outer` aborts: then the signal that it is given
 * aborts, late with a TimeoutError, and it is for `work` to end. Settles as `work` does.
 *
 * AbortSignal.any with AbortSignal.timeout would say the same, but such a timeout may be collected
 * before it fires, and then never does (nodejs/node#57736): whatever hangs would hang for ever.
 */
export async function withDeadline<T>(
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(outer.reason);
  const late = new DOMException("the time is over", "TimeoutError");
  const timer = setTimeout(() => controller.abort(late), ms);
  if (outer.aborted) abort();
  else outer.addEventListener("abort", abort);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", abort);
  }
}
