/**
 * Test files that `npm test` leaves to `npm run test:all`, because together they take longer than all the others.
 * CI runs both.
 */
export const SLOW_TESTS: readonly string[] = [
  // Campaigns: processes are killed, databases fail and machines die, hundreds of times.
  ...inFolder("packages/tuitbot/test", [
    "chaos/chaos",
    "chaos/killed-work",
    "chaos/storage-chaos",
    "chaos/storage-power-cut",
    "replicas/replicas",
    "fortnight",
  ]),
  ...inFolder("packages/contract/test/gate", ["end", "lost-answers", "memory"]),
  ...inFolder("packages/godot-mcp-omni/test", ["godot-kill", "kill-server", "nothing-lost-by-godot"]),
  ...inFolder("packages/x-api/test", ["media-memory"]),

  // Releases: everything a stranger installs, builds and sees in the first minutes.
  ...inFolder("scripts", ["bundle", "third-party", "try-release"]),
  ...inFolder("packages/create-toolpact/test", ["build"]),
  ...inFolder("packages/tuitbot/test", ["first-run"]),

  // Godot: exports, videos, test frameworks, C#, and the same calls again in another mode or a second process.
  ...inFolder("packages/godot-mcp-omni/test", [
    "class-table",
    "csharp",
    "export",
    "flight-recorder",
    "game-story",
    "given-up",
    "godot-docs",
    "godot-engine-life",
    "heavy-import",
    "recording",
    "results",
    "several-projects",
    "short-answers",
    "testing",
    "two-games",
    "two-servers",
  ]),

  // tuitbot: every combination of a broken outside world, and whole processes driven through a terminal.
  ...inFolder("packages/tuitbot/test", [
    "approve-process",
    "init-process",
    "local-data",
    "loop-process",
    "odd-paths",
    "rehearse",
    "storage/sign-in",
    "web/every-view",
  ]),
];

function inFolder(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `${folder}/${name}.test.ts`);
}
