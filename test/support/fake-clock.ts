/** The clock of the tests is the one on which rule tests run. */
export {
  createManualClock as createFakeClock,
  type ManualClock as FakeClock,
} from "../../src/replay/manual-clock.ts";
