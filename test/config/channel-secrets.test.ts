import { describe, expect, it } from "vitest";
import { CHANNELS } from "../../src/channels/index.ts";
import { ConfigError, formatProblem } from "../../src/config/files/text-file.ts";
import { loadSetup } from "../../src/config/settings/load.ts";
import { KINDS } from "../../src/kinds/index.ts";

const URL = "https://hooks.slack.com/services/T00SECRET/B00/xyzSECRET";
const RULES =
  "rules:\n  - name: x\n    watch: {kind: gas, chain: 1}\n    when: {metric: tip_top10, above: 5 gwei}\n";

/** Everything that is printed of a configuration with these channels. */
async function printed(channels: string): Promise<string> {
  const config = `service: {base_url: https://d.example.org, api_key: "\${env:KEY}"}\nrules: [r.yaml]\nchannels:\n${channels}\n`;
  const readFile = async (path: string): Promise<Uint8Array> =>
    new TextEncoder().encode(path.endsWith("c.yaml") ? config : RULES);
  const options = { env: { KEY: "a-good-key" }, watches: KINDS, channels: CHANNELS, readFile };
  try {
    const { warnings } = await loadSetup("c.yaml", options);
    return warnings.map(formatProblem).join("\n");
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(formatProblem).join("\n");
  }
}

describe("a channel that is written wrongly", () => {
  it.each([
    `  a: {url: "${URL}"}`,
    `  a: {kind: slak, url: "${URL}"}`,
    `  a: {kind: "${URL}"}`,
    `  a: {kind: ${URL}}`,
    "  a: {kind: xoxb-SECRET-123456}",
    "  a: {kind: telegram:SECRETSECRET}",
    "  a: {kind: SECRETSECRETSECRETSECRET0123}",
    `  a: {kind: slack ${URL}}`,
    `  a: {kind: [slack, ${URL}]}`,
    `  a: {kind: {slack: ${URL}}}`,
    `  a:\n    kind:\n      ${URL}`,
    `  a: ${URL}`,
    `  a: [${URL}]`,
    `  a:\n    - kind: slack\n    - url: ${URL}`,
    `  a:\n    kind: slack\n    uri: ${URL}`,
    "  a:\n    knd: telegram\n    token: 12345:SECRETSECRET",
    `  ? ${URL}\n  : {kind: slack}`,
    `  "${URL}": {kind: slack}`,
    `  a: {kind: slack, "${URL}": 1}`,
    `  a: {kind: slack, url: ${URL}, url: x}`,
    `  a: {kind: slack url: "${URL}"}`,
    `  a: !slack ${URL}`,
    `  a:\n  kind: slack\n  url: ${URL}`,
    `  - kind: slack\n    url: ${URL}`,
    `  kind: ${URL}`,
  ])("is told of, and its secret is not: %s", async (channels) => {
    const text = await printed(channels);
    expect(text).toMatch(/^c\.yaml:\d+:\d+: /);
    expect(text).not.toContain("SECRET");
  });

  it("shows the word where a kind is misspelt, and takes a hint from the channel's name", async () => {
    expect(await printed(`  a: {kind: slak, url: "${URL}"}`)).toMatch(
      /unknown kind of channel "slak", .* did you mean `slack`\? \[unknown-kind\]\n {4}a: \{kind: slak, url: "\[redacted\]"\}/,
    );
    expect(await printed(`  lp-slack: {url: "${URL}"}`)).toContain("did you mean `kind: slack`?");
    expect(await printed(`  lp: {url: "${URL}"}`)).not.toContain("did you mean");
  });
});
