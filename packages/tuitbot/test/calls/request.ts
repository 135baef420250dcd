import { badInput, longText, notFound, type ToolCall, tooLong } from "./tool-call.ts";

export const requestCalls: Readonly<Record<string, ToolCall>> = {
  x_get: {
    args: ({ friendsPost }) => ({ path: `/2/tweets/${friendsPost}` }),
    operation: "getPostsById",
    failures: [
      badInput("another host", () => ({ path: "/2/users/me", host: "127.0.0.1" })),
      badInput("a way that climbs", () => ({ path: "/2/../x" }), "request_blocked"),
      badInput(
        "a separate sign-in",
        () => ({ path: "/2/users/me", headers: [{ key: "Authorization", value: "Bearer x" }] }),
        "request_blocked",
      ),
    ],
  },
  x_post: {
    args: () => ({ path: "/2/lists", body: '{"name":"By hand"}' }),
    operation: "createLists",
    failures: [
      tooLong(() => ({ path: "/2/tweets", body: JSON.stringify({ text: longText }) })),
      badInput("a body that is none", () => ({ path: "/2/lists", body: "name=x" })),
    ],
  },
  x_put: {
    args: ({ myLists }) => ({ path: `/2/lists/${myLists[2]}`, body: '{"name":"By hand"}' }),
    operation: "updateLists",
    failures: [badInput("another host", () => ({ path: "/2/lists/1", host: "example.com" }))],
  },
  x_delete: {
    args: ({ myLists }) => ({ path: `/2/lists/${myLists[3]}` }),
    fresh: ({ newList }) => ({ path: `/2/lists/${newList()}` }),
    operation: "deleteLists",
    failures: [notFound(() => ({ path: "/2/lists/1" }))],
  },
};
