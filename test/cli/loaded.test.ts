import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { POOL_ID } from "../kinds/records.ts";
import { makePlace } from "../support/daemon-place.ts";
import { loadedBy } from "../support/loaded.ts";
import { MAIN } from "../support/program.ts";
import { startScriptedService } from "../support/scripted-service.ts";
import { WHOLE } from "../support/tier.ts";

const RULES = `
rules:
  - name: small
    watch: {kind: v4_pool, chain: ethereum, pools: ["${POOL_ID}"]}
    when: {metric: tvl_usd, below: 900 usd}
`;

/** Those of the files that are one of `paths` or in one of these folders, each of which must be there. */
function below(files: readonly string[], ...paths: readonly string[]): readonly string[] {
  for (const path of paths) {
    if (!existsSync(join(dirname(MAIN), path))) throw new Error(`the program has no ${path}`);
  }
  return files.filter((file) => paths.some((path) => file === path || file.startsWith(`${path}/`)));
}

describe.concurrent("what the program loads", () => {
  const answered = [
    [["--version"]],
    [["outbox", "list", "--help"]],
    [["once", "--jsno"]],
    [["--help"]],
    [["help", "check"]],
    [["run", "--help"]],
    [["rnu"]],
    [["serve", "--port", "high"]],
    [[]],
  ] as const;
  it.for(WHOLE ? answered : answered.slice(1, 3))(
    "to answer %j is the command line alone",
    async ([args], test) => {
      const { expect } = test;
      const { files, packages } = await loadedBy(test, args);
      expect(packages).toEqual(["commander"]);
      expect(files).toContain("cli/program.js");
      expect(files.length, files.join("\n")).toBeLessThan(50);
    },
  );

  it("to check a configuration is no database, no log, no templates and nothing that asks or sends", async (test) => {
    const { expect } = test;
    const place = await makePlace(test, {
      serviceUrl: "http://127.0.0.1:10009",
      slackUrl: "http://127.0.0.1:10009/services/none",
      rules: RULES,
    });
    const { end, files, packages } = await loadedBy(test, ["check", "--config", place.config], {
      env: place.env,
    });
    expect(end.code).toBe(0);
    expect(packages).toEqual(expect.arrayContaining(["commander", "yaml", "zod"]));
    for (const name of ["better-sqlite3", "better-sqlite3-node22", "liquidjs", "pino", "undici"]) {
      expect(packages).not.toContain(name);
    }
    expect(files).not.toContain("app.js");
  });

  it("to say how the daemon fares is its database, and no rules, kinds and channels", async (test) => {
    const { expect } = test;
    const place = await makePlace(test, {
      serviceUrl: "http://127.0.0.1:10009",
      slackUrl: "http://127.0.0.1:10009/services/none",
      rules: RULES,
    });
    await (await openSqliteStore(place.database)).close();
    const { end, files, packages } = await loadedBy(test, ["status", "--config", place.config]);
    expect(end).toMatchObject({ code: 1, out: "not healthy: no daemon runs\n" });
    expect(packages).toEqual(expect.arrayContaining(["commander", "yaml", "zod"]));
    for (const name of ["liquidjs", "pino", "undici"]) {
      expect(packages).not.toContain(name);
    }
    expect(
      below(files, "app.js", "channels", "commit", "config/settings/load.js", "fetch", "replay"),
    ).toEqual([]);
    // How the key of a subject is made is all that it knows of kinds.
    expect(below(files, "kinds")).toEqual(["kinds/kind.js"]);
    expect(files.length, files.join("\n")).toBeLessThan(80);
  });

  it("to run is no channel's library before it sends, no templates, no listener and no embedded service", async (test) => {
    const { expect } = test;
    const service = await startScriptedService(test);
    const place = await makePlace(test, {
      serviceUrl: service.baseUrl,
      slackUrl: "http://127.0.0.1:10009/services/none",
      rules: RULES,
    });
    const text = await readFile(place.config, "utf8");
    await writeFile(place.config, text.replace(/^ {2}slack: .*\n/m, ""));
    const { end, files, packages } = await loadedBy(test, ["run", "--config", place.config], {
      env: place.env,
      meanwhile: async (program) => {
        await program.logLine(({ msg }) => msg === "watching");
        program.kill("SIGTERM");
      },
    });
    expect(end.code).toBe(0);
    expect(packages).toEqual(expect.arrayContaining(["pino", "undici", "yaml", "zod"]));
    for (const name of ["@slack/webhook", "liquidjs", "nodemailer", "pg", "prom-client"]) {
      expect(packages).not.toContain(name);
    }
    expect(below(files, "replay", "serve", "simulator", "web/server.js")).toEqual([]);
  });
});
