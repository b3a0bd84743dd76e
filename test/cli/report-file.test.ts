import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writeReport } from "../../src/cli/report-file.ts";
import { mountSmallDisk, unmount } from "../support/small-disk.ts";

it("a report on a full disk leaves nothing, and says which option it was for", async ({ skip }) => {
  const disk = mountSmallDisk(4_096);
  if (disk === null) return skip();
  onTestFinished(() => unmount(disk));
  writeFileSync(join(disk, "filler"), Buffer.alloc(4_096));
  await expect(
    writeReport(join(disk, "junit.xml"), "<testsuites/>", "JUnit file", "--junit"),
  ).rejects.toThrow("the JUnit file cannot be written (ENOSPC); see --junit");
  expect(readdirSync(disk)).toEqual(["filler"]);
});

it("a report takes the place of an older one, and leaves what is no file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tickwatch-report-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "r.html");
  for (const text of ["<p>a longer one</p>", "<p>one</p>"]) {
    await writeReport(file, text, "report", "--html");
    expect(readFileSync(file, "utf8")).toBe(text);
  }
  symlinkSync("/dev/full", join(folder, "device"));
  await expect(writeReport(join(folder, "device"), "x", "report", "--html")).rejects.toThrow(
    "ENOSPC",
  );
  await expect(writeReport(folder, "x", "report", "--html")).rejects.toThrow("EISDIR");
  expect(readdirSync(folder).toSorted()).toEqual(["device", "r.html"]);
});
