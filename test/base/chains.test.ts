import { describe, expect, it } from "vitest";
import { CHAINS, chainByAlias, chainById, chainName } from "../../src/base/chains.ts";

describe("the table of chains", () => {
  it("names no id, name or alias twice", () => {
    for (const key of ["id", "name", "alias"] as const) {
      expect(new Set(CHAINS.map((chain) => chain[key])).size).toBe(CHAINS.length);
    }
  });

  it("knows every chain that the service has the stablecoin on", () => {
    const known = [1, 137, 143, 13371, 43114, 747474].map((id) => chainById(id)?.alias);
    expect(known).toEqual(["ethereum", "polygon", "monad", "immutable", "avalanche", "katana"]);
  });

  it("has addresses that a path can follow, and aliases that YAML reads as text", () => {
    for (const chain of CHAINS) {
      expect(chain.explorer).toMatch(/^https:\/\/[a-z.]+[a-z]$/);
      expect(chain.alias).toMatch(/^[a-z]{3,}$/);
      expect(chain.nativeSymbol).toMatch(/^[A-Z]{3,4}$/);
    }
  });

  it("finds a chain by alias in any letter case, and only as a whole", () => {
    expect(chainByAlias("Ethereum")?.id).toBe(1);
    expect(chainByAlias("ethereum ")).toBeUndefined();
    expect(chainByAlias("constructor")).toBeUndefined();
  });

  it("names an unknown chain by its number", () => {
    expect(chainName(137)).toBe("Polygon");
    expect(chainName(4663)).toBe("chain 4663");
    expect(chainById(4663)).toBeUndefined();
  });
});
