import { inFolder, message, start } from "./children.ts";
import type { Figure, FigureGroup } from "./figures.ts";
import { benchPools } from "./pools.ts";
import { spread } from "./spread.ts";
import type { WebMeasurement } from "./web-daemon.ts";

const SUBJECTS = 100_000;
const FIRING = 1_000;

/** What the page and the API cost a daemon with many alerts, and how long people wait for them. */
export const web: FigureGroup = async ({ server, runs }) => {
  console.error(`the page of ${SUBJECTS} alerts, ${FIRING} of them firing`);
  const found = await inFolder(async (folder) => {
    const poor = benchPools(SUBJECTS)
      .slice(-FIRING)
      .map(({ id }) => id);
    await server.take(poor);
    const task = { url: server.url, subjects: SUBJECTS, folder, work: "threshold", sink: null };
    const child = start("web-daemon", JSON.stringify({ ...task, rounds: runs, warmUp: 2 }));
    return await message<WebMeasurement>(child);
  });
  const figure = (words: string, values: readonly number[], unit: string, bar: number): Figure => {
    return { words, value: spread(values), unit, bar };
  };
  const of = `of ${SUBJECTS} alerts`;
  return [
    figure(`the overview ${of}, over the API`, found.overviewMs, "ms", 150),
    figure("its size", found.overviewKilobytes, "kB", 150),
    figure(`the overview ${of}, as a page`, found.pageMs, "ms", 150),
    figure("its size", found.pageKilobytes, "kB", 150),
    figure(`a search ${of}`, found.searchMs, "ms", 200),
    figure("a chart of 30 days, one value a minute", found.chartMs, "ms", 100),
    {
      words: "CPU of a round without a page",
      value: spread(found.roundCpuMs),
      unit: "ms",
      bar: null,
    },
    figure(
      "more of it with ten open pages, of a core at a round a minute",
      found.pagesPercent,
      "%",
      2,
    ),
  ];
};
