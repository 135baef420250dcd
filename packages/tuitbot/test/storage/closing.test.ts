import { expect, test } from "vitest";
import { StorageError } from "../../src/storage/storage-error.ts";
import { onBothEngines } from "../postgres/both-engines.ts";

onBothEngines("a store that is closed", (stores) => {
  test("fails what comes later as a database that is gone, and closes once", async () => {
    const store = await stores.open();
    await store.close();
    await store.close();
    const late = store.db.selectFrom("receipts").selectAll().execute();
    await expect(late).rejects.toBeInstanceOf(StorageError);
    await expect(store.transaction(async () => "never")).rejects.toMatchObject({ kind: "unreachable" });
  });

  test("fails what is under way as a database that is gone", async () => {
    const store = await stores.open();
    const work = store.transaction(async (db) => {
      await db.selectFrom("receipts").selectAll().execute();
      // Closing does not wait for work that is not part of it.
      void store.close();
      await db.selectFrom("receipts").selectAll().execute();
    });
    await expect(work).rejects.toBeInstanceOf(StorageError);
  });
});
