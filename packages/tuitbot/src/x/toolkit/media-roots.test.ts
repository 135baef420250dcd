import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { publishedMedia } from "../../guards/approval/media-bytes.ts";
import { fileUnderRoots } from "./media-roots.ts";

let base: string;
let root: string;
let second: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "tuitbot-roots-")));
  root = join(base, "media");
  second = join(base, "more");
  for (const folder of [root, join(root, "sub"), second, join(base, "media-secret")]) mkdirSync(folder);
  writeFileSync(join(root, "cat.png"), "cat");
  writeFileSync(join(root, "sub", "dog.png"), "dog");
  writeFileSync(join(second, "emu.png"), "emu");
  writeFileSync(join(base, "secret.txt"), "secret");
  writeFileSync(join(base, "media-secret", "secret.png"), "secret");
  symlinkSync(join(base, "secret.txt"), join(root, "file-link.png"));
  symlinkSync(base, join(root, "folder-link"));
  symlinkSync(join(root, "cat.png"), join(root, "inner-link.png"));
  symlinkSync(root, join(base, "root-link"));
});

afterAll(() => rmSync(base, { recursive: true }));

it("finds files under the roots, also by a way that is not absolute", async () => {
  const cat = { ok: true, value: join(root, "cat.png") };
  expect(await fileUnderRoots(join(root, "cat.png"), [root])).toEqual(cat);
  expect(await fileUnderRoots("cat.png", [root, second])).toEqual(cat);
  expect(await fileUnderRoots("sub/../cat.png", [root])).toEqual(cat);
  expect(await fileUnderRoots("inner-link.png", [root])).toEqual(cat);
  expect(await fileUnderRoots("cat.png", [join(base, "root-link")])).toEqual(cat);
  expect(await fileUnderRoots("emu.png", [root, second])).toEqual({
    ok: true,
    value: join(second, "emu.png"),
  });
});

it.each([
  ["a file elsewhere", () => join(base, "secret.txt")],
  ["a way that climbs", () => "../secret.txt"],
  ["a way that climbs from inside", () => join(root, "sub", "..", "..", "secret.txt")],
  ["a folder whose name only begins the same", () => join(base, "media-secret", "secret.png")],
  ["a link out of the root", () => "file-link.png"],
  ["a folder that is a link out of the root", () => "folder-link/secret.txt"],
  ["a file that is not there, elsewhere", () => join(base, "nothing.png")],
  ["the root itself", () => root],
])("a media path is rejected: %s", async (_what, path) => {
  const outcome = await fileUnderRoots(path(), [root]);
  expect(outcome).toMatchObject({
    ok: false,
    failure: { code: "invalid_input", reason: "path_not_allowed" },
  });
});

it("a missing file is reported as missing only inside the media roots", async () => {
  const outcome = await fileUnderRoots("nothing.png", [root]);
  expect(outcome).toMatchObject({ ok: false, failure: { code: "file_read_error" } });
});

it("pipes, devices, sockets, folders and links to them are rejected without waiting", async () => {
  execFileSync("mkfifo", [join(root, "pipe.png")]);
  symlinkSync(join(root, "pipe.png"), join(root, "pipe-link.png"));
  const socket = createServer().listen(join(root, "socket.png"));
  onTestFinished(() => void socket.close());
  await once(socket, "listening");
  for (const path of ["pipe.png", "pipe-link.png", "socket.png", "sub"]) {
    const failure = { code: "file_read_error", message: expect.stringContaining("not a regular file") };
    expect(await fileUnderRoots(path, [root]), path).toMatchObject({ failure });
    // A named file needs no database.
    expect(await publishedMedia({} as never, "1", { file_path: path }, [], [root]), path).toMatchObject({
      failure,
    });
  }
  // A device, if reachable.
  expect(await fileUnderRoots("null", ["/dev"])).toMatchObject({ failure: { code: "file_read_error" } });
});

it("every media path is rejected if there is no root", async () => {
  expect(await fileUnderRoots(join(root, "cat.png"), [])).toMatchObject({
    failure: { reason: "path_not_allowed" },
  });
});
