import { systemClock } from "../src/base/clock.ts";
import { startService } from "../src/serve/server.ts";
import { createMarket } from "../src/simulator/market.ts";
import { inFolder } from "./children.ts";
import { runCommand } from "./cli.ts";
import { writeConfig } from "./configuration.ts";
import type { FigureGroup } from "./figures.ts";
import { API_KEY } from "./pools.ts";
import { spread } from "./spread.ts";

const MINUTE_MS = 60_000;

/** Ten positions of the simulated market, each looked at once a minute. */
const RULES = `  - name: my-range
    watch:
      kind: v4_position
      protocol: dexa
      positions:
        - {id: 128404, chain: ethereum}
        - {id: 91777, chain: ethereum}
        - {id: 60312, chain: ethereum}
        - {id: 45120, chain: ethereum}
        - {id: 7301, chain: ethereum}
        - {id: 20881, chain: polygon}
        - {id: 410233, chain: base}
        - {id: 398107, chain: base}
        - {id: 15533, chain: unichain}
        - {id: 5120, chain: bnb, protocol: dexb}
    when: {metric: in_range, equals: false}
    for: 5m
`;

/** The whole program with a small configuration, at the pace of real time. */
export const small: FigureGroup = async ({ smallMinutes }) => {
  console.error(`ten positions for ${smallMinutes + 1} minutes`);
  const clock = systemClock();
  const market = createMarket({ seed: 1, start: clock.now() });
  const service = await startService({ world: market, clock, apiKey: API_KEY });
  try {
    const taken = await inFolder((folder) => {
      const files = { serviceUrl: service.baseUrl, sinkUrl: null, rules: [RULES] };
      const path = writeConfig(folder, files);
      return runCommand(["run", "--config", path], (smallMinutes + 1) * MINUTE_MS + 2_000);
    });
    const { cpuMs, wallMs } = taken.steady ?? { cpuMs: Number.NaN, wallMs: 1 };
    const words = `ten positions, from the second minute on, for ${smallMinutes} minutes`;
    return [
      { words, value: spread([(cpuMs / wallMs) * 100]), unit: "% of a core", bar: 0.1 },
      { words: "its memory", value: spread([taken.residentMegabytes]), unit: "MB", bar: 120 },
      {
        words: "at most, its start included",
        value: spread([taken.peakMegabytes]),
        unit: "MB",
        bar: null,
      },
    ];
  } finally {
    await service.close();
  }
};
