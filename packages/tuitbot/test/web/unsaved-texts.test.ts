import { expect, test } from "vitest";
import { keepText, unsavedTexts } from "../../src/app/unsaved-texts.ts";
import { onBothEngines } from "../postgres/both-engines.ts";

const DAY = 86_400_000;

onBothEngines("texts that were typed and not saved", ({ place, open }) => {
  test("are seen in every other browser of their person and account, and overwritten in none", async () => {
    const store = await open(await place());
    const as = (person: string, account = "1", now = DAY) => ({
      db: { store, account },
      visitor: { person, now },
    });
    const keys = async (browser: string, session: ReturnType<typeof as>) => {
      const found = await unsavedTexts({ browser }, session);
      return found.ok ? found.value.texts.map(({ browser, key, value }) => [browser, key, value]) : found;
    };
    const text = { texts: ["Mine."] };
    await keepText({ browser: "desk", key: "a", value: text }, as("Ann"));
    await keepText({ browser: "phone", key: "a", value: { texts: ["Mine too."] } }, as("Ann"));
    await keepText(
      { browser: "desk", key: "a", value: { texts: ["Mine, later."] } },
      as("Ann", "1", DAY + 1),
    );
    expect(await keys("phone", as("Ann"))).toEqual([["desk", "a", { texts: ["Mine, later."] }]]);
    expect(await keys("desk", as("Ann"))).toEqual([["phone", "a", { texts: ["Mine too."] }]]);
    for (const other of [as("Ben"), as("Ann", "2")]) expect(await keys("phone", other)).toEqual([]);
    await keepText({ browser: "desk", key: "a" }, as("Ben"));
    expect(await keys("phone", as("Ann"))).toHaveLength(1);
    await keepText({ browser: "desk", key: "a" }, as("Ann"));
    expect(await keys("phone", as("Ann"))).toEqual([]);
  });

  test("are deleted after 30 days, and at most 200 are kept for a person", async () => {
    const store = await open(await place());
    const at = (now: number) => ({ db: { store, account: "1" }, visitor: { person: "Ann", now } });
    for (let number = 1; number <= 210; number++)
      await keepText({ browser: "desk", key: `${number}`, value: {} }, at(number));
    const found = await unsavedTexts({ browser: "other" }, at(211));
    expect(found).toMatchObject({ ok: true, value: { texts: { length: 200, 0: { key: "210" } } } });
    await keepText({ browser: "desk", key: "new", value: {} }, at(31 * DAY));
    const rows = await store.db.selectFrom("web_texts").select("key").where("account", "=", "1").execute();
    expect(rows).toEqual([{ key: "new" }]);
  });
});
