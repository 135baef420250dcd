import { readAllPages, type XClient } from "@toolpact/x-api";

export async function followersOf(client: XClient, id: string): Promise<readonly string[]> {
  const followers = await readAllPages<{ username: string }>(
    client,
    "getUsersFollowers",
    { path: { id } },
    { maxPages: 5, maxUsd: 20 },
  );
  console.log(`${followers.pages} pages for $${followers.usd}; stopped: ${followers.stopped}`);
  return followers.items.map(({ username }) => username);
}
