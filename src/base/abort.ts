import { setMaxListeners } from "node:events";

/** Calls `listener` once when the signal is aborted; returns a function that takes it back. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  // All requests of a round listen to one signal; Node would take more than ten for a leak.
  setMaxListeners(0, signal);
  // A removed listener still points to the next one, so that in a long round they may all be kept:
  // with nothing in their hands.
  let wanted: (() => void) | null = listener;
  const listen = (): void => wanted?.();
  signal.addEventListener("abort", listen);
  return () => {
    wanted = null;
    signal.removeEventListener("abort", listen);
  };
}

/** Waits in real time; an abort ends the wait early. Never rejects. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stopListening();
      resolve();
    };
    const timer = setTimeout(end, ms);
    const stopListening = onAbort(signal, end);
  });
}
