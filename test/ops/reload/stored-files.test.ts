import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readSetup, secretsOf } from "../../../src/cli/setup.ts";
import { LoadedFiles } from "../../../src/ops/reload/files.ts";
import { packFiles, unpackFiles } from "../../../src/ops/reload/stored-files.ts";

const RULES = `rules:
  - name: low
    watch: {kind: gas, chain: 1}
    when: {metric: tip_top10, below: 5 gwei}
`;
const env = { KEY: "key-0123456789", HOOK: "http://127.0.0.1:8099/hook" };

const configOf = (
  url: string,
): string => `service: {base_url: "http://127.0.0.1:8099", api_key: "\${env:KEY}"}
rules: [rules-*.yaml]
channels: {ops: {kind: webhook, url: ${url}}}
`;

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "tickwatch-stored-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return join(folder, "config.yaml");
}

async function packed(config: string): Promise<string | null> {
  const files = new LoadedFiles();
  const { setup } = await readSetup(config, { env }, files);
  return packFiles(config, files.takeTexts(), secretsOf(setup));
}

it("holds what another machine reads the same from, whatever files that one has", async () => {
  const text = await packed(
    folderWith({ "config.yaml": configOf('"${env:HOOK}"'), "rules-a.yaml": RULES }),
  );
  expect(text).not.toContain(env.KEY);
  expect(text).not.toContain(env.HOOK);
  const other = folderWith({ "rules-b.yaml": RULES.replace("low", "other") });
  const { setup } = await readSetup(other, { env }, unpackFiles(other, text ?? ""));
  expect(setup.rules.map(({ name }) => name)).toEqual(["low"]);
  expect(setup.channels.map(({ name }) => name)).toEqual(["ops"]);
});

it("says where in the files of another machine a mistake is, or what this one lacks", async () => {
  const text = await packed(
    folderWith({ "config.yaml": configOf('"${env:HOOK}"'), "rules-a.yaml": RULES }),
  );
  const other = folderWith({});
  const reading = readSetup(other, { env: { KEY: env.KEY } }, unpackFiles(other, text ?? ""));
  await expect(reading).rejects.toMatchObject({
    problems: [{ line: 3, message: "the environment variable HOOK is not set" }],
  });
});

it.each([
  ["as it is", '"http://127.0.0.1:8099/hook"'],
  ["as YAML may write it", '"http://127.0.0.1:8099/h\\u006fok"'],
])("is not made of files in which a secret stands, %s", async (_, url) => {
  const config = folderWith({ "config.yaml": configOf(url), "rules-a.yaml": RULES });
  expect(await packed(config)).toBeNull();
});
