import { test } from "vitest";
import { liveDayOnHistory } from "./day-on-history.ts";

test("a day on a database with 20,000 rows of history sends each post once, and old rows go", async () => {
  await liveDayOnHistory(20_000);
}, 120_000);
