import { afterEach, expect, test, vi } from "vitest";

// The client reads the account from the address of the page when it is loaded.
vi.stubGlobal("location", new URL("http://127.0.0.1/"));
const { readSession, session } = await import("./client.ts");

afterEach(() => vi.unstubAllGlobals());

test("an answer that comes late does not take the place of a newer one", async () => {
  // State of the simulated server. A request reads it when sent and is answered when released.
  let isStopped = true;
  const letThrough: (() => void)[] = [];
  vi.stubGlobal("fetch", async () => {
    const answer = Response.json({ signed_in: false, stopped: isStopped });
    await new Promise<void>((resolve) => letThrough.push(resolve));
    return answer;
  });
  const first = readSession();
  isStopped = false;
  const second = readSession();
  // The latest request that is under way is answered first.
  while (letThrough.length > 0 || !(await isOver(Promise.all([first, second])))) letThrough.pop()?.();
  expect(session.value).toMatchObject({ stopped: false });
});

async function isOver(work: Promise<unknown>): Promise<boolean> {
  const soon = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 5));
  return Promise.race([work.then(() => true), soon]);
}
