import { fullCatalog } from "../server/catalog.ts";

/** The title of a tool, such as "Publish a post". */
export function titleOf(tool: string): string {
  return fullCatalog.tools.find(({ name }) => name === tool)?.title ?? tool;
}

/** `in_reply_to_id` is "in reply to", `tweets` are posts. */
export function nameInWords(argument: string): string {
  return argument.replace(/_id$/, "").replaceAll("_", " ").replace("tweet", "post");
}

/** `searchPostsRecent` is "Searching posts"; an operation without a title is spelled out. */
export function operationTitle(operation: string): string {
  return (
    OPERATION_TITLES[operation] ??
    operation
      .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
      .replace(/^./, (letter) => letter.toUpperCase())
  );
}

const OPERATION_TITLES: Readonly<Record<string, string>> = {
  createPosts: "Publishing posts",
  deletePosts: "Deleting posts",
  searchPostsRecent: "Searching posts",
  getPostsByIds: "Reading numbers of posts",
  getPostsById: "Reading a post",
  getUsersMe: "Reading your profile",
  getUsersMentions: "Reading mentions",
  getUsersPosts: "Reading posts of a user",
  getUsersByUsername: "Looking up a user",
  createMediaMetadata: "Adding alt text",
};

/** Who made a call, as the ledger stores it: `loop:mentions` is "automation: mentions". */
export function callerInWords(caller: string): string {
  if (caller === "") return "not recorded";
  if (caller === "tuitbot") return "tuitbot itself";
  if (caller === "draft") return "published drafts";
  const [, kind, name] = /^(loop|page): ?(.+)$/.exec(caller) ?? [];
  if (kind === undefined) return caller;
  return kind === "loop" ? `automation: ${name}` : `${name}, in the dashboard`;
}
