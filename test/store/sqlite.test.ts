import { storeSuite } from "../contract/store-suite.ts";
import { sqlitePlace } from "./sqlite/place.ts";

storeSuite("on SQLite", sqlitePlace);
