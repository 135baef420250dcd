import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const SRC = join(import.meta.dirname, "../..");

/** The files that may call writing functions of `node:fs`, and what they write. No other file may. */
const WRITERS: Readonly<Record<string, string>> = {
  "project/atomic-write.ts": "replaces one file, for commit-edit.ts and the journal",
  "drivers/commit/commit-edit.ts": "keeps the time of a file whose bytes it puts back",
  "drivers/commit/commit-files.ts": "removes a file of the project, and puts new ones in place",
  "project/journal.ts": "the journal, in the state folder; undo and redo put back what it holds",
  "project/state-folder.ts": "the state folder, and a user's order to stop in it",
  "project/outside-file.ts": "nothing: it opens a file outside of the project to read it",
  "project/project.ts": "the lock of an edit, in the state folder",
  "server/audit-log.ts": "the audit log, in the state folder",
  "project/trust.ts": "which projects are trusted, in the state folder of the user",
  "drivers/editor/announcement.ts": "the note to editors, in the user's cache",
  "godot/environment.ts": "the home of headless Godots, in the user's cache",
  "godot/package-folder.ts": "files of an executable, in the user's cache",
  "godot/docs.ts": "the class reference, in the user's cache",
  "game/film.ts": "films of running games, in a temporary folder",
  "game/games.ts": "pictures of running games, in a temporary folder",
  "game/start-game.ts": "the same",
  "game/hot-reload.ts": "the old content of a scene that a game compares, in a temporary folder",
  "game/look.ts": "drawn scenes, in a temporary folder, and the last picture of each in the server's state",
  "game/sandbox.ts": "the folder of a debugger's socket, in a temporary folder",
  "game/game.ts": "the same",
  "testing/frameworks.ts": "the configuration of one run, in a temporary folder",
  "testing/run-framework.ts": "the folder of one run",
  "recording/play.ts": "pictures of one play, in the state folder",
  "tools/recording/recording-answers.ts": "the same, and reports of play-tests",
  "recording/project-copy.ts": "a copy of a project, in a temporary folder",
  "tools/asset/files.ts": "an empty folder, which holds nothing that an undo could bring back",
  "workspace/addon.ts": "removes the folder of the addon's shared scripts once it is empty",
  "export/build.ts": "builds, which are products and no sources",
  "export/logged-run.ts": "the log of a build",
};

const READS = new Set([
  "accessSync",
  "access",
  "constants",
  "existsSync",
  "lstatSync",
  "readdir",
  "readdirSync",
  "readFile",
  "readFileSync",
  "realpath",
  "realpathSync",
  "type FSWatcher",
  "watch",
  "stat",
  "statSync",
]);

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => ({ file: file.replaceAll("\\", "/"), text: readFileSync(join(SRC, file), "utf8") }));

function filesWith(pattern: RegExp): string[] {
  return files.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
}

describe("nothing but commitEdit and commitFiles writes files of a project", () => {
  test("no other file calls what writes, except for what is no file of the project", () => {
    const writing = files.filter(({ text }) => writesIn(text).length > 0).map(({ file }) => file);
    expect(writing.sort()).toEqual(Object.keys(WRITERS).sort());
  });

  test("no other file puts new content in place of a file's", () => {
    expect(filesWith(/\.draft\(|\bdraftOf\(/).sort()).toEqual([
      "drivers/commit/commit-edit.ts",
      "drivers/commit/commit-files.ts",
      "project/atomic-write.ts",
      "project/project.ts",
    ]);
    expect(filesWith(/\bwriteAtomically\(/).sort()).toEqual([
      // The list of builds, in the state folder.
      "export/build.ts",
      "project/atomic-write.ts",
      "project/journal.ts",
    ]);
  });

  test("no other file begins an entry of the journal, or gets a driver to prepare an edit", () => {
    expect(filesWith(/\.begin\(/).sort()).toEqual([
      "drivers/commit/commit-edit.ts",
      "drivers/commit/commit-files.ts",
    ]);
    expect(filesWith(/\.prepare\(/)).toEqual(["drivers/commit/commit-edit.ts"]);
  });
});

/** The imported functions of `node:fs` and our wrapper of it that do more than read; `*` for a whole module. */
function writesIn(text: string): string[] {
  return [
    ...text.matchAll(/import ([^;]+?) from "(?:node:fs(?:\/promises)?|@toolpact\/file-lock)";/g),
  ].flatMap(([, clause = ""]) => {
    const names = /^\{(.*)\}$/s.exec(clause)?.[1]?.split(",");
    if (names === undefined) return ["*"];
    return names.map((name) => name.trim().split(" as ")[0] ?? "").filter((name) => name && !READS.has(name));
  });
}
