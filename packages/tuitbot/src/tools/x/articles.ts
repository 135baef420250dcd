import { ok } from "@toolpact/contract";
import * as z from "zod";
import { xErrors } from "../../errors.ts";
import { writeUp } from "../../profiles.ts";
import { mediaId } from "../../x/ids.ts";
import { textIn, type XObject } from "../../x/shapes/x-object.ts";
import { MAX_POST } from "../../x/text-limits.ts";
import { articleContent } from "../../x/toolkit/article.ts";
import { askX } from "../../x/toolkit/ask-x.ts";
import { APPS, defineTool } from "../product.ts";

export const draftArticle = defineTool({
  name: "x_v2_articles_draft",
  searchWords: "write an article, draft an article, long article, blog post on X",
  app: APPS.approval,
  title: "Draft an article",
  description:
    "Save an X Article as a draft of the account. It is not published: the person does that at X. X offers Articles to some plans only. For posts use create_draft.",
  category: "write",
  effect: "create",
  openWorld: true,
  profiles: writeUp,
  needs: ["x"],
  errors: xErrors,
  facts: { operations: ["articleCreateDraft"] },
  input: z.strictObject({
    title: z.string().trim().min(1).max(280).describe("Title of the article"),
    text: z
      .string()
      .min(1)
      .max(4 * MAX_POST)
      .describe(
        "Markdown: # headings, - lists, 1. lists, > quotes, **bold**, *italic*; a line is a paragraph",
      ),
    cover_media_id: mediaId.optional().describe("Id of a picture from x_upload_media"),
  }),
  output: z.object({ id: z.string(), title: z.string() }),
  plan: ({ cover_media_id }) => ({ mediaIds: cover_media_id === undefined ? [] : [cover_media_id] }),
  handler: async ({ title, text, cover_media_id }, { x, signal }) => {
    const saved = await askX<XObject>(x.client, "articleCreateDraft", {
      body: {
        title,
        content_state: articleContent(text),
        ...(cover_media_id !== undefined && {
          cover_media: { media_id: cover_media_id, media_category: "tweet_image" },
        }),
      },
      signal,
    });
    return saved.ok ? ok({ id: textIn(saved.value.data, "id") ?? "", title }) : saved;
  },
});
