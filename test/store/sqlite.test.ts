import { sqlitePlace } from "./sqlite/place.ts";
import { storeSuite } from "./store-suite.ts";

storeSuite("on SQLite", sqlitePlace);
