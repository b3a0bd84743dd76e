import { describe, expect, it } from "vitest";
import { itemAt } from "../../src/web/read/rule-view.ts";

const FILE = `rules:
  # of the pools
  - name: first
    watch: {kind: gas, chain: ethereum}

    when: {metric: tip_top10, above: 5 gwei}
  - name: second
    when:
      all:
        - {metric: tvl_usd, below: 5}

lists: {}
`;

describe("a rule as it stands in its file", () => {
  it("is the item of the list that begins on its line, without its indentation", () => {
    expect(itemAt(FILE, 3)).toBe(
      "- name: first\n  watch: {kind: gas, chain: ethereum}\n\n  when: {metric: tip_top10, above: 5 gwei}",
    );
    expect(itemAt(FILE, 7)).toBe(
      "- name: second\n  when:\n    all:\n      - {metric: tvl_usd, below: 5}",
    );
  });

  it("is the same with Windows' line ends and at the left edge", () => {
    expect(itemAt("rules:\r\n- name: a\r\n  for: 5m\r\n- name: b\r\n", 2)).toBe(
      "- name: a\n  for: 5m",
    );
  });
});
