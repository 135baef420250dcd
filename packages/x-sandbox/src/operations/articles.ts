import { success } from "../http/answer.ts";
import { forUser, type Handlers } from "./context.ts";

export const articles = {
  articleCreateDraft: forUser((input, { world, now }, me) => {
    const id = world.idAt(now);
    const title = input.body.text("title") ?? "";
    const blocks = (input.body.object("content_state")?.objects("blocks") ?? []).map(({ value }) => value);
    world.articles.set(id, { id, authorId: me.id, title, blocks });
    return success({ data: { id, title } }, 201);
  }),
} satisfies Handlers;
