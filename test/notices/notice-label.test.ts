import { describe, expect, it } from "vitest";
import { composeAlert, composePlain } from "../../src/notices/notice.ts";
import { compares, described, eventOf, ruleOf, subjectOf } from "./notice-events.ts";

describe("the name that a notice gives its subject", () => {
  const rule = ruleOf(compares("above", "tvl_usd", "5"));

  it("is the subject's, with its chain only where its rule watches several", () => {
    const description = described("AUSD", { chain: "Polygon" });
    const here = subjectOf();
    const alone = { ...rule, subjects: [here] };
    const event = eventOf("no_data", null, { rule: alone, subject: here, description });
    expect(composeAlert(event, []).label).toBe("AUSD");
    const several = { ...rule, subjects: [here, { ...here, chainId: 43_114 }] };
    expect(composeAlert({ ...event, rule: several }, []).label).toBe("AUSD on Polygon");
  });

  it("is there as well where no more than the facts can be told", () => {
    expect(composePlain(eventOf("no_data", null, { subject: subjectOf("Treasury") })).label).toBe(
      "Treasury",
    );
  });
});
