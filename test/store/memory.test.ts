import { createMemoryStore } from "../support/memory-store.ts";
import { storeSuite } from "./store-suite.ts";

storeSuite("in memory", async () => {
  const store = createMemoryStore();
  return { open: async () => store, remove: async () => undefined };
});
