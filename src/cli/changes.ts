import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";

/** An editor writes a file in several steps: what changes within so many milliseconds is one change. */
const DEBOUNCE_MS = 100;

/**
 * Waits until one of the files is written, made or replaced; false once `stop` is aborted. Folders are
 * watched, since many editors put a new file in the place of the old one.
 */
export async function untilChanged(files: readonly string[], stop: AbortSignal): Promise<boolean> {
  if (stop.aborted) return false;
  const byFolder = new Map<string, Set<string>>();
  for (const file of files) {
    const folder = dirname(resolve(file));
    byFolder.set(folder, (byFolder.get(folder) ?? new Set()).add(basename(file)));
  }
  const watchers: FSWatcher[] = [];
  try {
    return await new Promise<boolean>((done) => {
      let timer: NodeJS.Timeout | undefined;
      const onChange = (): void => {
        clearTimeout(timer);
        timer = setTimeout(done, DEBOUNCE_MS, true);
      };
      stop.addEventListener("abort", () => done(false), { once: true });
      for (const [folder, names] of byFolder) {
        const watcher = tryWatch(folder, (name) => {
          if (name === null || names.has(name)) onChange();
        });
        if (watcher !== null) watchers.push(watcher);
      }
    });
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

/** A folder that is not there cannot be watched; the others can. */
function tryWatch(folder: string, onChange: (name: string | null) => void): FSWatcher | null {
  try {
    return watch(folder, (_, name) => onChange(name)).on("error", () => {});
  } catch {
    return null;
  }
}
