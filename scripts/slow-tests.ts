/**
 * Test files that `npm test` leaves to `npm run test:all`, because together they take longer than all the others.
 * CI runs both.
 */
export const SLOW_TESTS: readonly string[] = [
  // Campaigns: processes are killed, databases fail and machines die, hundreds of times.
  ...inFolder("packages/tuitbot/test", [
    "chaos/chaos",
    "chaos/killed-work",
    "chaos/soak",
    "chaos/storage-chaos",
    "chaos/storage-power-cut",
    "replicas/replicas",
    "day-on-a-million-rows",
    "fortnight",
    "storage/weather",
  ]),
  ...inFolder("packages/contract/test/gate", [
    "end",
    "everything",
    "lost-answers",
    "memory",
    "nothing-twice",
    "restart",
  ]),
  ...inFolder("packages/godot-mcp-omni/test", ["godot-kill", "kill-server", "nothing-lost-by-godot"]),
  ...inFolder("packages/x-api/test", ["media-memory"]),
  ...inFolder("packages/contract/test", ["fast-path-fuzz", "guards/permutations", "strangers"]),

  // Releases: everything a stranger installs, builds and sees in the first minutes.
  ...inFolder("scripts", ["bundle", "clients", "clients-sign-in", "third-party", "try-release"]),
  ...inFolder("packages/create-toolpact/test", ["build"]),
  ...inFolder("packages/tuitbot/test", ["first-run"]),

  // Godot: files that break or change outside, exports, videos, test frameworks, C#, and the same calls again in another mode or a second process.
  ...inFolder("packages/godot-mcp-omni/test", [
    "broken-files",
    "broken-script",
    "class-table",
    "create-project",
    "csharp",
    "editor-mode",
    "editor-reads-back",
    "export",
    "flight-recorder",
    "fresh-as-the-disk",
    "game-debugger",
    "game-faults",
    "game-step",
    "game-story",
    "game-wait",
    "given-up",
    "godot-docs",
    "godot-engine-life",
    "heavy-import",
    "language",
    "live-resources",
    "look",
    "lost-textures",
    "recording",
    "results",
    "scene-run",
    "seven-tasks",
    "several-projects",
    "short-answers",
    "short-edits",
    "skills",
    "spellings",
    "testing",
    "three-modes",
    "true-diagnostics",
    "truth",
    "two-games",
    "two-servers",
    "undo-across-histories",
    "unrequested-values",
  ]),

  // tuitbot: every combination of a broken outside world, and whole processes driven through a terminal.
  ...inFolder("packages/tuitbot/test", [
    "approve-process",
    "hostile-arguments-long",
    "init-process",
    "local-data",
    "loop-process",
    "newcomer",
    "notify/agent-hears",
    "notify/surfaces",
    "odd-paths",
    "other-profiles",
    "processes",
    "rehearse",
    "storage/rehearsal-isolation",
    "storage/sign-in",
    "web/every-view",
    "web/half-sent-sign-ins",
    "web/lost-rights",
    "web/other-network",
    "web/send-draft",
  ]),
  ...inFolder("packages/tuitbot-web/test", [
    "addresses",
    "apps",
    "autosave",
    "figures",
    "look",
    "workplace",
    "own-click",
    "unsaved-text",
  ]),

  // A short run of every benchmark.
  ...inFolder("packages/bench/test", ["quick"]),
];

function inFolder(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `${folder}/${name}.test.ts`);
}
