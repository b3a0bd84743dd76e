const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Whether a host is this machine, as a name or an address; IPv6 with or without its brackets. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
