import { Document } from "../config/files/document.ts";
import { expandGlob } from "../config/files/globs.ts";
import { decode, LARGEST_FILE, readFromDisk } from "../config/files/read-text.ts";
import { isMap } from "../config/files/shape.ts";
import { TextFile } from "../config/files/text-file.ts";

/**
 * The channels that rules files tell, so that the demo can have one of each name. What cannot be read
 * is left to the loading of the rules, which tells what is wrong.
 */
export async function channelsOf(patterns: readonly string[]): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const pattern of patterns) {
    const files = await expandGlob(pattern, process.cwd()).catch(() => []);
    for (const path of files) {
      const bytes = await readFromDisk(path, LARGEST_FILE).catch(() => null);
      const file = bytes === null ? null : decode(path, bytes);
      if (file instanceof TextFile)
        for (const name of namesIn(new Document(file).root)) names.add(name);
    }
  }
  return [...names];
}

function namesIn(root: unknown): readonly string[] {
  if (!isMap(root) || !Array.isArray(root.rules)) return [];
  return root.rules.flatMap((rule: unknown): string[] => {
    const notify: unknown = isMap(rule) ? rule.notify : null;
    const names: readonly unknown[] = Array.isArray(notify) ? notify : [notify];
    return names.filter((name) => typeof name === "string");
  });
}
