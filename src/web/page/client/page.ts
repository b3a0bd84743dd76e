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
// On a phone the pages are more than fit beside each other.
const here = document.querySelector<HTMLElement>(".nav [aria-current]");
if (here?.parentElement)
  here.parentElement.scrollLeft = here.offsetLeft - here.parentElement.offsetLeft - 16;
setInterval(() => {
  tick();
  countLost();
}, 1_000);
