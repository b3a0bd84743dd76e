import { sameSuite } from "./same-suite.ts";
import { sqlitePlace } from "./sqlite/place.ts";

sameSuite("SQLite", sqlitePlace, 60);
