import { sqlitePlace } from "../sqlite/place.ts";
import { recordedSuite } from "./recorded-suite.ts";

recordedSuite("in SQLite", async () => {
  const home = await sqlitePlace();
  return { ...home, place: home.path };
});
