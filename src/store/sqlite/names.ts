import type { Database } from "./driver.ts";

/**
 * The names of rules and keys of subjects, as numbers. They are all kept in memory, where each
 * text is one string for everything that is loaded with it; that no text has two numbers is seen
 * to here, which holds because only one process writes.
 */
export interface Names {
  /** Gives a number to a new text; inside a transaction only. */
  idOf(text: string): number;
  textOf(id: number): string;
  /** A transaction begins. */
  begin(): void;
  /** It was not committed: takes back the numbers that it gave. */
  undo(): void;
}

export function namesTable(db: Database): Names {
  const insert = db.prepare<[number, string]>("INSERT INTO names (id, text) VALUES (?, ?)");
  const ids = new Map<string, number>();
  /** By id; ids count from 0 without gaps. */
  const texts: string[] = [];
  let committed = 0;

  for (const text of db.prepare<[], string>("SELECT text FROM names ORDER BY id").pluck().all()) {
    ids.set(text, texts.push(text) - 1);
  }

  return {
    idOf(text) {
      const known = ids.get(text);
      if (known !== undefined) return known;
      const id = texts.length;
      insert.run(id, text);
      texts.push(text);
      ids.set(text, id);
      return id;
    },
    textOf(id) {
      const text = texts[id];
      if (text === undefined) throw new Error(`name ${id} is not known`);
      return text;
    },
    begin() {
      committed = texts.length;
    },
    undo() {
      for (const text of texts.splice(committed)) ids.delete(text);
    },
  };
}
