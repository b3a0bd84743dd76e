import type { Condition } from "../model/index.ts";

/** What has become of alerts that fired, and of those that resolved. */
export function becameWords(when: Condition): {
  readonly fired: string;
  readonly resolved: string;
} {
  switch (rangeSide(when)) {
    case "in":
      return { fired: "came into range", resolved: "out of range again" };
    case "out":
      return { fired: "went out of range", resolved: "back in range" };
    case null:
      return { fired: "fired", resolved: "resolved" };
  }
}

/** The side of its range on which a position makes the condition true; null: it is not about that. */
function rangeSide(when: Condition): "in" | "out" | null {
  if (when.op !== "equals" && when.op !== "not_equals") return null;
  if (when.metric !== "in_range" || when.limit.kind !== "value") return null;
  return (when.limit.value === true) === (when.op === "equals") ? "in" : "out";
}
