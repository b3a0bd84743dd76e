import type * as Templates from "./template.ts";

/**
 * The library of templates costs memory and time at the start, and most rules have no template: it is
 * loaded with the first text that has one, and stays.
 */

let library: typeof Templates | null = null;

/** Whether a text says anything but itself. */
export function isTemplate(text: string): boolean {
  return text.includes("{{") || text.includes("{%");
}

/** Loads the library unless it is there. Rejects if its files cannot be read. */
export async function loadTemplates(): Promise<void> {
  library ??= await import("./template.ts");
}

/** What checks and renders templates; null until `loadTemplates` has resolved. */
export function templates(): typeof Templates | null {
  return library;
}
