import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANNELS } from "../../../src/channels/index.ts";
import { ConfigError, formatProblem } from "../../../src/config/files/text-file.ts";
import { loadSetup } from "../../../src/config/settings/load.ts";
import { loadStorePlace } from "../../../src/config/settings/read-config.ts";
import { KINDS } from "../../../src/kinds/index.ts";
import type { StorePlace } from "../../../src/model/index.ts";
import { ruleText } from "../rules-text.ts";

const REST = `
service: {base_url: "https://data.example.org", api_key: "\${env:KEY}"}
rules: [rules.yaml]
channels: {console: {kind: console}}
`;
const ENV = { KEY: "sk_live_0123456789abcdef", PLACE: "from/env.db", EMPTY: "" };

describe("the path of the database", () => {
  let folder: string;
  let config: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "tickwatch-store-path-"));
    config = join(folder, "config.yaml");
    await writeFile(join(folder, "rules.yaml"), ruleText());
    await writeFile(join(folder, "place"), "/srv/of-file.db\n");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function setupStore(path: string): Promise<StorePlace> {
    const { setup } = await loadSetup(path, { env: ENV, watches: KINDS, channels: CHANNELS });
    return setup.store;
  }

  it.each([
    ["", "tickwatch.db"],
    ["store: data/x.db", "data/x.db"],
    ["store: ../x.db", "../x.db"],
    ["store: /srv/tickwatch/x.db", "/srv/tickwatch/x.db"],
    ["store: 2026", "2026"],
    ['store: "${env:PLACE}"', "from/env.db"],
    ['store: "/data/${env:PLACE}"', "/data/from/env.db"],
    ['store: "${file:place}"', "/srv/of-file.db"],
  ])("is the same as in the whole setup: %s", async (line, expected) => {
    await writeFile(config, `${REST}${line}\n`);
    const path = await loadStorePlace(config, ENV);
    expect(path).toBe(expected.startsWith("/") ? expected : join(folder, expected));
    expect(path).toBe(await setupStore(config));
  });

  it("starts at the folder of a configuration that is named from where one is", async () => {
    await mkdir(join(folder, "deep"));
    config = relative(process.cwd(), join(folder, "deep", "config.yaml"));
    await writeFile(config, REST.replace("rules.yaml", "../rules.yaml"));
    expect(await loadStorePlace(config, ENV)).toBe(join(folder, "deep", "tickwatch.db"));
    expect(await setupStore(config)).toBe(join(folder, "deep", "tickwatch.db"));
  });

  it("is had whatever else is wrong: rules, channels, secrets that are not set", async () => {
    await writeFile(
      config,
      'service: 5\nstore: x.db\nrules: [none/*.yaml]\nretention: 5 minits\nunheard: of\nchannels: {a: {kind: slack, url: "${env:UNSET}"}}\n',
    );
    expect(await loadStorePlace(config, {})).toBe(join(folder, "x.db"));
  });

  it.each([
    ["store: [a]", /config\.yaml:1:8: store is a list/],
    ["store:", /config\.yaml:1:1: store has no value/],
    ['store: ""', /config\.yaml:1:8: store is empty/],
    ['store: "${env:UNSET}"', /config\.yaml:1:8: the environment variable UNSET is not set/],
    ['store: "${env:EMPTY}"', /config\.yaml:1:8: the environment variable EMPTY is empty/],
    ["store: a.db\nstore: b.db", /config\.yaml:2:1: /],
    ["store: {", /config\.yaml:2:1: /],
    ["", /config\.yaml:1:1: /],
  ])("is refused with its place, as by the whole setup: %j", async (text, problem) => {
    await writeFile(config, `${text}\n`);
    const told = async (loading: Promise<unknown>): Promise<string> => {
      const error = await loading.then(
        () => null,
        (reason: unknown) => reason,
      );
      if (!(error instanceof ConfigError)) throw new Error("no ConfigError", { cause: error });
      return error.problems.map(formatProblem).join("\n");
    };
    const own = await told(loadStorePlace(config, ENV));
    expect(own).toMatch(problem);
    expect(await told(setupStore(config))).toContain(own.split("\n")[0]);
  });

  it("is refused where there is no configuration", async () => {
    await expect(loadStorePlace(config, ENV)).rejects.toThrow(ConfigError);
  });
});
