import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Desk, openDesk } from "../engagement/desk.ts";
import { pass, postsOf } from "../engagement/passes.ts";

const HOUR = 3_600_000;
const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

let desk: Desk;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "tuitbot-drafts-"));
  for (const name of ["cat.png", "dog.png"])
    writeFileSync(join(folder, name), Buffer.concat([PNG, Buffer.from(name)]));
});
afterEach(async () => {
  await desk.close();
  rmSync(folder, { recursive: true });
});

const open = (config: object = {}) => openDesk({ config: { media: { roots: [folder] }, ...config } });
const inHours = (hours: number) => new Date(desk.sandbox.clock.now() + hours * HOUR).toISOString();
const texts = () => postsOf(desk).map(({ text }) => text);

/** The alternative texts of what each post shows. */
function shown(): readonly (readonly (string | undefined)[])[] {
  const { media } = desk.sandbox.world;
  return postsOf(desk).map(({ mediaIds }) => mediaIds.map((id) => media.get(id)?.altText));
}

describe("a draft in the agent's own words", () => {
  test("needs no language model, and is published as it is", async () => {
    desk = await open();
    const { data } = await desk.call("create_draft", { texts: ["Good morning."] });
    expect(data).toMatchObject({ draft_id: 1, status: "draft", texts: ["Good morning."], topic: null });
    await desk.call("publish_draft", { id: 1 });
    expect(texts()).toEqual(["Good morning."]);
  });

  test("goes out at its time, as a thread", async () => {
    desk = await open();
    const answer = await desk.call("create_draft", { texts: ["One", "Two"], scheduled_for: inHours(1) });
    expect(answer).toMatchObject({ data: { status: "scheduled", runner: { alive: false } } });
    desk.sandbox.clock.advance(HOUR);
    await pass(desk, "scheduled");
    expect(texts()).toEqual(["One", "Two"]);
  });

  test("that cannot be scheduled is not stored", async () => {
    desk = await open();
    const link = { texts: ["Read https://example.com/rye"], scheduled_for: inHours(1) };
    expect(await desk.call("create_draft", link)).toMatchObject({ error: { reason: "url_price" } });
    expect(await desk.call("list_drafts")).toMatchObject({ data: { drafts: [] } });
  });

  test.each(["publish_draft", "the schedule"])("shows its media with their texts by %s", async (by) => {
    desk = await open();
    const media = [
      { post: 2, file_path: join(folder, "cat.png"), alt_text: "A cat, asleep" },
      { post: 2, file_path: join(folder, "dog.png") },
    ];
    // Longer than X keeps an upload that nothing uses.
    const scheduled_for = by === "the schedule" ? { scheduled_for: inHours(72) } : {};
    const { data } = await desk.call("create_draft", { texts: ["One", "Two"], media, ...scheduled_for });
    expect(data).toMatchObject({ media });
    if (by === "the schedule") {
      desk.sandbox.clock.advance(72 * HOUR);
      await pass(desk, "scheduled");
    } else await desk.call("publish_draft", { id: 1 });
    expect(await desk.call("get_draft", { id: 1 })).toMatchObject({ data: { status: "published" } });
    // X ends the text of a post with media by a link to them.
    expect(texts()).toEqual(["One", expect.stringMatching(/^Two https/)]);
    expect(shown()).toEqual([[], ["A cat, asleep", undefined]]);
  });

  test("whose post was not sent uploads again only what X has forgotten", async () => {
    desk = await open();
    const uploads = () => desk.sandbox.world.media.size;
    const before = uploads();
    await desk.call("create_draft", { texts: ["One"], media: [{ file_path: join(folder, "cat.png") }] });
    const limited = { operation: "createPosts", kind: "rate_limited" } as const;
    desk.sandbox.faults.add(limited);
    expect(await desk.call("publish_draft", { id: 1 })).toMatchObject({ success: false });
    desk.sandbox.clock.advance(HOUR);
    desk.sandbox.faults.add(limited);
    expect(await desk.call("publish_draft", { id: 1 })).toMatchObject({ success: false });
    expect(uploads() - before).toBe(1);
    desk.sandbox.clock.advance(25 * HOUR);
    expect(await desk.call("publish_draft", { id: 1 })).toMatchObject({ data: { status: "published" } });
    expect(shown()).toEqual([[undefined]]);
  });

  test.each([
    [{ post: 2, file_path: "cat.png" }, "invalid_input"],
    [{ file_path: "/etc/hostname" }, "invalid_input"],
    [{ file_path: "bird.png" }, "file_read_error"],
  ])("is refused with media %j", async (media, code) => {
    desk = await open();
    expect(await desk.call("create_draft", { texts: ["One"], media: [media] })).toMatchObject({
      error: { code },
    });
  });

  test("loses and gets media when it is edited", async () => {
    desk = await open();
    await desk.call("create_draft", { texts: ["One"], media: [{ file_path: join(folder, "cat.png") }] });
    const media = [{ post: 1, file_path: join(folder, "dog.png"), alt_text: "A dog" }];
    const files = async (args: object) =>
      (await desk.call("edit_draft", { id: 1, texts: ["Two"], ...args })).data;
    expect(await files({})).toMatchObject({ media: [{ file_path: join(folder, "cat.png") }] });
    expect(await files({ media })).toMatchObject({ media });
    expect(await files({ media: [] })).toMatchObject({ media: [] });
  });
});
