import { describe, expect, test } from "vitest";
import { type ScriptedPerson, scriptedPerson } from "../src/testing/index.ts";
import { type ClientName, clientNames, clients } from "./clients.ts";
import { stdioCommand } from "./legs.ts";
import { notesApp, stoppedAt } from "./notes-product.ts";
import { serve } from "./raw-http.ts";

const legs = (["stdio", "HTTP", "HTTP without sessions"] as const).flatMap((transport) =>
  clientNames.map((client) => ({ transport, client })),
);

interface Leg {
  readonly transport: "stdio" | "HTTP" | "HTTP without sessions";
  readonly client: ClientName;
}

/** A client with one note to delete. */
async function deleting({ transport, client }: Leg, person: ScriptedPerson | undefined) {
  const place =
    transport === "stdio"
      ? stdioCommand
      : { url: (await serve({ legacySessions: transport === "HTTP" }, notesApp())).url };
  const { call } = await clients[client].connect(place, person);
  await call("add_note", { text: "keep me" });
  return {
    call,
    deleteIt: (confirm: boolean) => call("delete_note", { id: "1", ...(confirm && { confirm }) }),
  };
}

const done = { success: true, data: { deleted: true } };
const denied = { success: false, error: { code: "denied" } };

describe.each(legs)("over $transport with $client", (leg) => {
  const isLost = leg.transport === "HTTP without sessions" && !clients[leg.client].isModern;

  if (isLost) {
    test("nothing is known of the client, so the agent's argument does not count", async () => {
      for (const person of [undefined, scriptedPerson([])]) {
        const { deleteIt } = await deleting(leg, person);
        expect(await deleteIt(true)).toMatchObject({
          error: { code: "denied", suggested_fix: expect.stringContaining("Connect with a session") },
        });
        expect(person?.asked ?? []).toEqual([]);
      }
    });
    return;
  }

  test("a person who can be asked is asked, whatever the agent says", async () => {
    const person = scriptedPerson(["no", "yes"]);
    const { deleteIt } = await deleting(leg, person);
    expect(await deleteIt(true)).toMatchObject(denied);
    expect(await deleteIt(false)).toMatchObject(done);
    expect(person.asked.map(({ message }) => message)).toEqual(["Delete note 1?", "Delete note 1?"]);
  });

  test("where the client cannot ask, the agent's argument counts", async () => {
    const { deleteIt } = await deleting(leg, undefined);
    expect(await deleteIt(false)).toMatchObject(denied);
    expect(await deleteIt(true)).toMatchObject(done);
  });

  // The test cannot see a call stop in another process.
  if (leg.transport === "stdio") return;
  test("a cancelled call stops", async () => {
    const { call } = await deleting(leg, undefined);
    const before = stoppedAt.length;
    const stop = new AbortController();
    const counting = call(
      "count_slowly",
      { to: 1_000_000 },
      { signal: stop.signal, onprogress: () => stop.abort() },
    );
    await expect(counting).rejects.toThrow();
    await expect.poll(() => stoppedAt.length).toBe(before + 1);
    expect(stoppedAt.at(-1)).toBeLessThan(1_000_000);
  });
});
