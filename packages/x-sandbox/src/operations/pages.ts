import type { Answer } from "../http/answer.ts";
import type { Input } from "../http/input.ts";
import { pageMeta, pageOf } from "../render/page.ts";
import { canRead } from "../rules/visibility.ts";
import type { Post } from "../world/post.ts";
import type { Readable } from "../world/timeline.ts";
import { type OperationContext, viewOf } from "./context.ts";
import type { IdRange } from "./id-range.ts";

export interface PostsSettings {
  readonly size?: number;
  readonly range?: IdRange;
  readonly accept?: (post: Post) => boolean;
  /** With the newest and oldest id in `meta`. */
  readonly ends?: "with ends" | "plain";
}

/** Only those the caller may read. */
export function pageOfPosts(
  source: Readable,
  scope: string,
  input: Input,
  context: OperationContext,
  { size, range, accept, ends }: PostsSettings = {},
): Answer {
  const { world, viewer } = context;
  const page = pageOf(source, input, {
    scope,
    ...(size !== undefined && { size }),
    ...(range?.from !== undefined && { from: range.from }),
    ...(range?.until !== undefined && { until: range.until }),
    accept: (id) => {
      const post = world.posts.get(id);
      if (post === undefined || !canRead(world, viewer, world.people.get(post.authorId))) return false;
      return accept === undefined || accept(post);
    },
  });
  if ("refusal" in page) return page.refusal;
  const view = viewOf(input, context);
  const posts = page.items.flatMap((id) => world.posts.get(id) ?? []);
  return view.list(view.posts(posts), pageMeta(page, ends));
}

/** Without suspended ones. */
export function pageOfPeople(
  source: Readable,
  scope: string,
  input: Input,
  context: OperationContext,
): Answer {
  const { world } = context;
  const page = pageOf(source, input, {
    scope,
    accept: (id) => world.people.get(id)?.accountStatus !== "suspended",
  });
  if ("refusal" in page) return page.refusal;
  const view = viewOf(input, context);
  const people = page.items.flatMap((id) => world.people.get(id) ?? []);
  return view.list(view.users(people), pageMeta(page));
}
