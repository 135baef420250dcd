import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { ok } from "@toolpact/outcome";
import { mediaFrom } from "../drafts/draft-media.ts";
import type { PersonSession } from "./approvals.ts";
import type { Services } from "./services.ts";

const MAX_FILES = 60;
const MAX_READ = 5_000;
const SHOWN = /\.(jpe?g|png|webp|gif|mp4|mov)$/i;

/** Newest first, with their last alt text. */
export async function mediaLibrary(_: unknown, { db, workflow }: Pick<Services, "db" | "workflow">) {
  const altTexts = await altTextsOf(db);
  const [folder] = workflow.mediaRoots;
  const names = folder === undefined ? [] : await readdir(folder).catch(() => []);
  const paths = names
    .filter((name) => SHOWN.test(name))
    .slice(0, MAX_READ)
    .map((name) => join(folder ?? "", name));
  const found = await Promise.all(
    paths.map(async (file_path) => {
      const status = await stat(file_path).catch(() => undefined);
      return status?.isFile() ? [{ file_path, at: status.mtimeMs }] : [];
    }),
  );
  const files = found
    .flat()
    .sort((a, b) => b.at - a.at)
    .slice(0, MAX_FILES);
  return ok({
    files: files.map(({ file_path }) => ({ file_path, alt_text: altTexts.get(file_path) ?? null })),
  });
}

/** From the latest drafts, by file. */
async function altTextsOf({ store, account }: Services["db"]): Promise<ReadonlyMap<string, string>> {
  const rows = await store.db
    .selectFrom("drafts")
    .select("media_json")
    .where("account", "=", account)
    .where("media_json", "is not", null)
    .orderBy("id")
    .limit(MAX_READ)
    .execute();
  const files = rows.flatMap(({ media_json }) => mediaFrom(media_json));
  return new Map(
    files.flatMap(({ file_path, alt_text }) =>
      alt_text === undefined ? [] : [[file_path, alt_text] as const],
    ),
  );
}

/** First adds `text`, or removes one. */
export async function snippets(
  { text, remove }: { readonly text?: string | undefined; readonly remove?: number | undefined },
  { db: { store, account }, workflow }: Pick<PersonSession, "db" | "workflow">,
) {
  if (remove !== undefined)
    await store.db.deleteFrom("snippets").where("account", "=", account).where("id", "=", remove).execute();
  if (text !== undefined)
    await store.db.insertInto("snippets").values({ account, text, created_at: workflow.now() }).execute();
  const rows = await store.db
    .selectFrom("snippets")
    .select(["id", "text"])
    .where("account", "=", account)
    .orderBy("id", "desc")
    .execute();
  return ok({ snippets: rows });
}
