import { test } from "vitest";
import { liveDayOnHistory } from "./day-on-history.ts";

test("a day on a database with a million rows of history sends each post once, and old rows go", async () => {
  await liveDayOnHistory(1_000_000);
}, 600_000);
