import { describe, expect, it } from "vitest";
import { gasNow } from "../../src/kinds/gas-now.ts";
import type { Reading } from "../../src/kinds/kind.ts";
import type { RawRecord } from "../../src/model/index.ts";
import { answersOf, failed, ok } from "./records.ts";

const NOW = Date.UTC(2026, 10, 27, 14, 20);
const target = { chainId: 1, id: null, protocol: null, name: null };
const subject = gasNow.subject({ ...target, options: { blocks: "3" } });
const record = {
  chain_id: 1,
  blocks: 3,
  block_number: "24407242",
  timestamp: "1795788000",
  base_fee: "30000000001",
  tip_top5: "3000000000",
  tip_top10: "2000000002",
};

const read = (changes: RawRecord = {}): Reading =>
  gasNow.read(subject, answersOf({ gas_now: ok({ ...record, ...changes }) }), NOW);
const valueOf = (reading: Reading, name: string) => reading.rows[0]?.value(name)?.toString();

describe("a chain's gas now", () => {
  it("is another subject for other blocks", () => {
    expect(subject.key).toBe("gas_now:1:3");
    expect(gasNow.subject(target).key).toBe("gas_now:1:5");
    expect(gasNow.asks(subject, NOW)).toEqual([
      { key: subject.key, record: "gas_now", chainId: 1, id: "", limit: 3 },
    ]);
  });

  it("is exact, and the price is base fee and tip", () => {
    expect(valueOf(read(), "price_top10")).toBe("32000000003");
    expect(valueOf(read(), "base_fee")).toBe("30000000001");
    expect(read().trouble).toBeNull();
  });

  it("has no tip and no price where nobody bid, and says so", () => {
    const quiet = read({ tip_top5: null, tip_top10: null });
    expect([valueOf(quiet, "price_top10"), valueOf(quiet, "base_fee")]).toEqual([
      undefined,
      "30000000001",
    ]);
    expect(quiet.trouble).toBe("no transaction with a tip in these blocks");
    expect(read({ base_fee: null }).trouble).toBe("base_fee is null");
    expect(valueOf(read({ base_fee: null }), "price_top10")).toBeUndefined();
  });

  it("tells block and time, so that older ones are no news", () => {
    expect(read().marks()).toEqual([{ key: subject.key, block: 24_407_242, time: 1_795_788_000 }]);
    expect(read().describe()).toMatchObject({ label: "Ethereum", link: "https://etherscan.io" });
    const down = gasNow.read(subject, answersOf({ gas_now: failed("answered 503") }), NOW);
    expect(down).toMatchObject({ rows: [], trouble: "answered 503" });
    expect(down.marks()).toEqual([]);
  });
});
