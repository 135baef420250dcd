import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import type { Environment } from "../godot/environment.ts";
import { packageFolder } from "../godot/package-folder.ts";

export interface SandboxOptions {
  readonly env: Environment;
  readonly project: string;
  /** The home folder of games, with their `user://`. */
  readonly home: string;
  readonly pictures: string;
  /** The X display of the game, such as `:7`; undefined without one. */
  readonly display: string | undefined;
}

/** Isolation of one game: no network, and write access only to the project, the home of games and the screenshots. */
export interface Sandbox {
  /** The only path to the server: the debugger's socket. */
  readonly socket: string;
  /** The command that runs a program inside. */
  wrap(program: string, args: readonly string[]): readonly [command: string, args: readonly string[]];
  close(): void;
}

export function openSandbox(options: SandboxOptions): Result<Sandbox, "E_UNSUPPORTED"> {
  const bwrap = findBubblewrap(options.env);
  if (bwrap === undefined)
    return errors.fail(
      "E_UNSUPPORTED",
      "Games are to run in a sandbox, and there is no bubblewrap (bwrap) on this machine, so the game was not started.",
      {
        suggestedFix: "Install bubblewrap (Linux), or start the server without --sandbox-games.",
        fixBy: "operator",
      },
    );
  const folder = mkdtempSync(join(tmpdir(), "godot-mcp-debugger-"));
  return ok({
    socket: join(folder, "socket"),
    wrap: (program, args) => [bwrap, [...sandboxArguments(options, folder, program), "--", program, ...args]],
    close: () => rmSync(folder, { recursive: true, force: true }),
  });
}

function findBubblewrap({ PATH = "" }: Environment): string | undefined {
  if (process.platform !== "linux") return undefined;
  return PATH.split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, "bwrap"))
    .find((file) => existsSync(file));
}

/**
 * The file system is read-only. The user's home and the folders of sockets are empty inside, because a socket of
 * another program, such as Docker's or an SSH agent's, is a way out. Later arguments override earlier ones.
 */
function sandboxArguments(
  { env, project, home, pictures, display }: SandboxOptions,
  debuggerFolder: string,
  program: string,
): readonly string[] {
  const tree = join(dirname(program), "../../..");
  const readable = [
    // A Godot binary of `get-godot` has its libraries in the same folder tree.
    existsSync(join(tree, "stamp")) ? tree : dirname(program),
    packageFolder,
    // Only its own display: on another one it could read the user's keystrokes.
    ...(display === undefined ? [] : [`/tmp/.X11-unix/X${display.replace(/^:|\.\d+$/g, "")}`]),
    debuggerFolder,
  ];
  return [
    ...["--die-with-parent", "--new-session", "--unshare-all", "--cap-drop", "ALL"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...[env.HOME, "/tmp", "/var/tmp", "/run"].flatMap((folder) => (folder ? ["--tmpfs", folder] : [])),
    ...readable.flatMap((place) => ["--ro-bind-try", place, place]),
    ...[home, pictures, project].flatMap((place) => ["--bind", place, place]),
    ...["--chdir", project],
  ];
}
