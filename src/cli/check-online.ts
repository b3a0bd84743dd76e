import { createHttpSource } from "../fetch/http.ts";
import type { Setup } from "../model/index.ts";
import type { Io } from "./io.ts";
import { type Look, lookOnce } from "./look.ts";

/**
 * Asks the service once for everything; what is wrong in one line if it does not take the key. Throws an
 * Error when the user stops it.
 */
export async function askAll(setup: Setup, io: Io): Promise<Look | string> {
  return (await askKey(setup)) ?? (await lookOnce(setup, io));
}

/** Whether the service takes the key; null if it does, else what is wrong in one line. */
async function askKey({ service }: Setup): Promise<string | null> {
  // Only the current family can be asked; what the round gets shows it as well.
  if (service.baseUrl === null) return null;
  const source = createHttpSource({ ...service, log: () => {} });
  try {
    const verdict = await source.verify(AbortSignal.timeout(service.timeoutMs));
    if (verdict === "valid") return null;
    if (verdict === "invalid") {
      return "the service refuses the API key; see service.api_key in the configuration";
    }
    return `the service cannot be asked: ${verdict.detail}; see service.base_url in the configuration`;
  } finally {
    await source.close();
  }
}
