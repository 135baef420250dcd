import { createXClient, retryReads, type TokenSource } from "@toolpact/x-api";

const tokens: TokenSource = {
  userToken: async () => ({ ok: true, value: process.env.TOKEN ?? "" }),
  appToken: async () => ({ ok: false, failure: "none" }),
  rejected: async () => ({ ok: false, failure: "none" }),
};
const client = retryReads(createXClient({ tokens, baseUrl: process.env.URL ?? "https://api.x.com" }));

const found = await client.call<{ id: string; text: string }[]>("searchPostsRecent", {
  query: { query: "maps", max_results: 10 },
});
if (found.ok) for (const post of found.value.data) console.log(post.id, post.text);
else console.error(found.failure.kind, found.failure.message);
