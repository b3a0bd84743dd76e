import fc from "fast-check";
import { propertyRuns } from "./tier.ts";

/** For the short pass: what says no number of its own has fast-check's hundred runs in the whole one. */
fc.configureGlobal({ numRuns: propertyRuns(100) });
