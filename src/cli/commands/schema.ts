import { Argument, Command } from "commander";
import type { Io } from "../io.ts";
import type { SchemaFile } from "../schema.ts";

/** The files that have a schema. */
const FILES: readonly SchemaFile[] = ["rules", "config"];

export function schemaCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("schema")
    .description("print the JSON Schema of rules files or of config.yaml, for editors")
    .addArgument(new Argument("[file]", "rules or config").choices(FILES).default("rules"))
    .addHelpText(
      "after",
      "\nIn VS Code, Neovim and others with yaml-language-server a file names its schema in its first line:\n  # yaml-language-server: $schema=./rules.schema.json\n\nExample:\n  tickwatch schema rules > rules.schema.json\n",
    )
    .action(async (file: SchemaFile) => {
      const { schema } = await import("../schema.ts");
      finish(schema(file, io));
    });
}
