import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "vitest";
import { runTickwatch } from "../cli/test-command.ts";
import { POOL_ID } from "../kinds/records.ts";
import { makeAlertWorld, tells } from "../support/alert-world.ts";
import { loadedBy } from "../support/loaded.ts";
import { startProgram } from "../support/program.ts";
import { WHOLE } from "../support/tier.ts";

const PLAIN = `
rules:
  - name: tvl-low
    watch: {kind: v4_pool, chain: 1, pools: [{id: "${POOL_ID}", name: The pool}]}
    when: {metric: tvl_usd, below: 900 usd}
    schedule: 1s
`;
const RULES = `${PLAIN}    title: "{{ subject }} has {{ exact.value | plus: 1 }}"
    note: "{{ rule }} was {{ kind }}"
`;
const CASES = `${RULES}cases:
  - name: it falls
    values: {The pool: {tvl_usd: 1000x5 800x5}}
    expect:
      - {at: 5m, kind: fired, title: The pool has 801, note: tvl-low was fired}
`;

describe.concurrent("a rule's title and note", () => {
  it("are sent by a daemon, after its restart, and while owed even after the rule has none", async (test) => {
    const { expect } = test;
    const { slack, place, service, tvl } = await makeAlertWorld(test, { rules: RULES });
    const first = place.runHere();
    await slack.first(tells("started"));
    tvl(800);
    const fired = await slack.first(tells("fired"));
    expect(fired.body).toContain("The pool has 801");
    expect(fired.body).toContain("tvl-low was fired");
    first.kill("SIGTERM");
    await first.ended;
    slack.answer((response) => response.writeHead(503).end());
    const second = place.runHere();
    await service.requests(1);
    tvl(1_000);
    await slack.first(({ body }) => body.includes("The pool has 1001"));
    second.kill("SIGTERM");
    await second.ended;
    await place.writeRules(PLAIN);
    slack.answer((response) => response.end("ok"));
    const before = slack.received.length;
    place.runHere();
    const owed = await slack.first((one) => slack.received.indexOf(one) >= before);
    expect(owed.body).toContain("The pool has 1001");
    expect(owed.body).toContain("tvl-low was resolved");
  });

  const reading = [[["once"]], [["check"]], [["send-test", "terminal"]]] as const;
  it.runIf(WHOLE).for(reading)("are read with their library by %j", async ([args], test) => {
    const { expect } = test;
    const { place } = await makeAlertWorld(test, { rules: RULES });
    const { end, packages } = await loadedBy(test, [...args, "--config", place.config], {
      env: place.env,
    });
    expect(end).toMatchObject({ code: 0 });
    expect(packages).toContain("liquidjs");
  });

  it("are what a rule test says", async (test) => {
    const { expect } = test;
    const { place } = await makeAlertWorld(test);
    const file = join(place.folder, "a.test.yaml");
    await writeFile(file, CASES);
    expect(await runTickwatch(["test", file])).toMatchObject({ code: 0, err: "" });
    if (WHOLE) expect((await loadedBy(test, ["test", file])).packages).toContain("liquidjs");
    await writeFile(
      file,
      CASES.replaceAll(/^ {4}(?:title|note): .*\n/gm, "").replace(/, title.*}/, "}"),
    );
    expect(await runTickwatch(["test", file])).toMatchObject({ code: 0, err: "" });
    // The short pass has this of `check` and `run` in loaded.test.ts.
    if (WHOLE) expect((await loadedBy(test, ["test", file])).packages).not.toContain("liquidjs");
  });

  it.runIf(WHOLE)("are printed by the demo", async (test) => {
    const { expect } = test;
    const { place } = await makeAlertWorld(test);
    const file = join(place.folder, "mine.yaml");
    await writeFile(
      file,
      `
rules:
  - name: mine
    watch: {kind: gas, chain: ethereum}
    when: {metric: tip_top10, above: 0 gwei}
    title: "Look at {{ rule }}"
`,
    );
    const demo = startProgram(test, ["demo", "--rules", file], { env: { TMPDIR: place.folder } });
    await demo.outLine((line) => line.includes("Look at mine"));
    demo.kill("SIGTERM");
    expect(await demo.ended).toMatchObject({ code: 0, err: "" });
  });
});
