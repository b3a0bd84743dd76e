import { charts } from "./chart.ts";
import { closeOthers, keys } from "./keys.ts";
import { countLost, live } from "./live.ts";
import { fillZones, keepZone, localize, setClock, tick } from "./times.ts";

/** What a script adds to a page that works without it: the viewer's times, keys, and news as they come. */

setClock(document);
localize(document);
fillZones(document);
keepZone();
keys();
closeOthers();
live();
charts();
setInterval(() => {
  tick();
  countLost();
}, 1_000);
