import { type PostView, postUrl } from "../x/shapes/post.ts";
import type { PostMetrics } from "./performance.ts";

interface OwnPost {
  readonly id: string;
  readonly text: string;
  readonly published_at: number;
}

/** Metrics are included once measured. */
export function ownPostView(
  { id, text, published_at }: OwnPost,
  username: string | undefined,
  metrics?: PostMetrics,
): PostView {
  const { impressions: views, ...figures } = metrics ?? {};
  return {
    id,
    ...(username !== undefined && { author: `@${username}` }),
    text,
    created_at: new Date(published_at).toISOString(),
    ...figures,
    ...(views !== undefined && { views }),
    url: postUrl(id, username),
  };
}
