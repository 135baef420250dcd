import { expect, test } from "vitest";
import { Sandbox } from "../src/index.ts";

const START = Date.UTC(2026, 8, 1, 12);
const MINUTE = 60_000;

function known() {
  return new Sandbox({
    plan: "enterprise",
    start: START,
    apps: [{ clientId: "app", owner: "a_baker" }],
    known: {
      people: [
        { id: "1000000000000000001", username: "a_baker", name: "A Baker", followers: 512 },
        { id: "1000000000000000002", username: "a_miller", followers: 7_000 },
      ],
      posts: [
        { id: "2000000000000000001", authorId: "1000000000000000001", text: "Rye.", at: START - MINUTE },
        { authorId: "1000000000000000002", text: "@a_baker how much rye?", at: START + MINUTE, likes: 9 },
        { authorId: "9000000000000000009", text: "Nobody says this.", at: START - MINUTE },
      ],
    },
  });
}

async function read(sandbox: Sandbox, path: string): Promise<Readonly<Record<string, unknown>>> {
  const { accessToken } = sandbox.signIn({ user: "a_baker" });
  const response = await sandbox.fetch(`https://api.x.com${path}`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  return Object(await response.json());
}

test("a sandbox with known people and posts has exactly those, with their metrics", async () => {
  const sandbox = known();
  expect(await read(sandbox, "/2/users/me?user.fields=public_metrics")).toMatchObject({
    data: { id: "1000000000000000001", username: "a_baker", public_metrics: { followers_count: 512 } },
  });
  expect(await read(sandbox, "/2/tweets/2000000000000000001")).toMatchObject({ data: { text: "Rye." } });
  expect(sandbox.world.posts.size).toBe(1);
  expect(sandbox.world.people.size).toBe(2);
});

test("a future post appears when it is due, not before", async () => {
  const sandbox = known();
  const mentions = () =>
    read(sandbox, "/2/users/1000000000000000001/mentions?tweet.fields=public_metrics,created_at");
  expect(await mentions()).toMatchObject({ meta: { result_count: 0 } });
  sandbox.clock.advance(2 * MINUTE);
  expect(await mentions()).toMatchObject({
    data: [
      {
        text: "@a_baker how much rye?",
        created_at: new Date(START + MINUTE).toISOString(),
        public_metrics: { like_count: 9 },
      },
    ],
  });
});
