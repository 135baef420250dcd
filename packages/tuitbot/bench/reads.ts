import type { StdioClient } from "./stdio-client.ts";

/** A client's read of tuitbot, and the X operation it results in. */
export interface Read {
  readonly operation: string;
  readonly call: { readonly name: string; readonly arguments: object };
}

/** One read of each common kind: a person, a post, somebody's posts, a search. */
export async function commonReads(client: StdioClient): Promise<readonly Read[]> {
  const user = {
    operation: "getUsersByUsername",
    call: { name: "x_get_user_by_username", arguments: { username: "@sandbox_friend" } },
  };
  const search = {
    operation: "searchPostsRecent",
    call: { name: "x_search_tweets", arguments: { query: "sourdough" } },
  };
  const friend = await dataOf<{ id: string }>(client, user);
  const { posts } = await dataOf<{ posts: { id: string }[] }>(client, search);
  return [
    user,
    search,
    {
      operation: "getPostsById",
      call: { name: "get_tweet_by_id", arguments: { tweet_id: posts[0]?.id } },
    },
    {
      operation: "getUsersPosts",
      call: { name: "x_get_user_tweets", arguments: { user_id: friend.id } },
    },
  ];
}

/** `T` is what the tool's output schema says. */
async function dataOf<T>(client: StdioClient, { call }: Read): Promise<T> {
  const { result } = await client.request("tools/call", call);
  return (result.structuredContent as { data: T }).data;
}
