import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The path of a file in an installed package, whether or not the package exports it. */
export function packageFile(name: string, file: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const path = join(folder, "node_modules", name, file);
    if (existsSync(path)) return path;
    const above = dirname(folder);
    if (above === folder) throw new Error(`${name} has no ${file}; run npm ci in test/node`);
    folder = above;
  }
}
