import { existsSync, readdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Clock } from "@toolpact/contract";
import { ok } from "@toolpact/outcome";
import { errors, type ReplyCode, type Result } from "../errors.ts";
import { type Environment, editorEnvironment, headlessEnvironment } from "../godot/environment.ts";
import type { DisplayChoice } from "./game-shapes.ts";
import { startGuarded } from "./guarded-process.ts";

export interface DisplayOptions {
  readonly choice: DisplayChoice;
  readonly godot: string;
  readonly env: Environment;
  /** A separate home folder, which leaves the user's settings and saved games untouched. */
  readonly home: string;
  readonly clock: Clock;
}

/** The display of a game, with the arguments and variables it needs. */
export interface Display {
  readonly kind: "screen" | "virtual" | "none";
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
  close(): void;
}

/** How to get a virtual display on this machine. */
export const NO_XVFB = "Install Xvfb, or fetch one with Godot: godot-mcp-omni get-godot --with gl,xvfb";
const START_MS = 20_000;

export async function openDisplay(options: DisplayOptions): Promise<Result<Display, ReplyCode>> {
  const { choice, env } = options;
  if (choice === "none") return ok(noDisplay(options));
  if (choice === "auto" && hasScreen(env)) return ok(screen(options));
  const server = findXvfb(options);
  if (server !== undefined) return startXvfb(server, options);
  if (choice === "virtual")
    return errors.fail("E_UNSUPPORTED", "There is no virtual display on this machine.", {
      suggestedFix: NO_XVFB,
      fixBy: "operator",
    });
  return ok({
    ...noDisplay(options),
    warnings: [`No display was found, so there are no pictures. ${NO_XVFB}`],
  });
}

function noDisplay({ env, home }: DisplayOptions): Display {
  return {
    kind: "none",
    args: ["--headless"],
    env: headlessEnvironment(env, home),
    warnings: [],
    close: () => {},
  };
}

export function hasScreen(env: Environment): boolean {
  if (process.platform !== "linux") return true;
  return Boolean(env.DISPLAY) || Boolean(env.WAYLAND_DISPLAY);
}

function screen({ env, home }: DisplayOptions): Display {
  const { XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_CACHE_HOME, ...rest } = editorEnvironment(env, home);
  // The default location of the X authority file.
  const key = env.XAUTHORITY ?? join(env.HOME ?? "", ".Xauthority");
  return {
    kind: "screen",
    // Without a sound device, each start would report an error of ALSA.
    args: hasSound(env) ? [] : ["--audio-driver", "Dummy"],
    env: { ...rest, ...headlessEnvironment(env, home), ...(existsSync(key) && { XAUTHORITY: key }) },
    warnings: [],
    close: () => {},
  };
}

/** Detects a sound card, or a sound server of this user. */
function hasSound({ XDG_RUNTIME_DIR: own, PULSE_SERVER }: Environment): boolean {
  if (process.platform !== "linux" || PULSE_SERVER) return true;
  const places = own ? [join(own, "pulse/native"), join(own, "pipewire-0")] : [];
  return ["/dev/snd/seq", "/dev/snd/timer", ...places].some((place) => existsSync(place));
}

interface Xvfb {
  readonly path: string;
  readonly cwd?: string;
  readonly args: readonly string[];
  /** Variables for the game: software drivers from the same folder tree. */
  readonly env: Readonly<Record<string, string>>;
}

/** Whether screenshots are possible here. */
export function hasDisplay(godot: string, env: Environment): boolean {
  return hasScreen(env) || findXvfb({ godot, env }) !== undefined;
}

/** The virtual display server: the one downloaded with this Godot, or the installed one. */
export function findXvfb({ godot, env }: Pick<DisplayOptions, "godot" | "env">): Xvfb | undefined {
  const fetched = fetchedTree(godot);
  if (fetched !== undefined) return fetched.xvfb;
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    const path = join(folder, "Xvfb");
    if (folder !== "" && existsSync(path)) return { path, args: [], env: {} };
  }
  return undefined;
}

/** The folder tree of `get-godot`: its Xvfb must start in that folder, and the drivers must be named. */
function fetchedTree(godot: string): { readonly xvfb: Xvfb | undefined } | undefined {
  const tree = join(dirname(godot), "../../..");
  if (!existsSync(join(tree, "env.sh")) || !existsSync(join(tree, "stamp"))) return undefined;
  const path = join(tree, "root/usr/bin/Xvfb");
  const libraries = join(tree, "root/usr/lib");
  const triple = readdirSync(libraries).find((name) => existsSync(join(libraries, name, "dri")));
  // A Godot binary without GL libraries does not start on a display.
  if (triple === undefined || !existsSync(path)) return { xvfb: undefined };
  const share = join(tree, "root/usr/share");
  return {
    xvfb: {
      path,
      cwd: tree,
      args: ["-xkbdir", join(share, "X11/xkb")],
      env: {
        LIBGL_ALWAYS_SOFTWARE: "1",
        LIBGL_DRIVERS_PATH: join(libraries, triple, "dri"),
        __EGL_VENDOR_LIBRARY_DIRS: join(share, "glvnd/egl_vendor.d"),
        GBM_BACKENDS_PATH: join(libraries, triple, "gbm"),
        XKB_CONFIG_ROOT: join(share, "X11/xkb"),
        XLOCALEDIR: join(share, "X11/locale"),
      },
    },
  };
}

async function startXvfb(
  xvfb: Xvfb,
  { env, home, clock }: DisplayOptions,
): Promise<Result<Display, ReplyCode>> {
  const own = headlessEnvironment(env, home);
  const started = startGuarded(xvfb.path, {
    // Xvfb picks a free display number and prints it.
    args: ["-displayfd", "3", "-screen", "0", "1920x1080x24", "-nolisten", "tcp", ...xvfb.args],
    ...(xvfb.cwd !== undefined && { cwd: xvfb.cwd }),
    env: own,
    clock,
  });
  const number = await new Promise<string | undefined>((resolve) => {
    let text = "";
    const stopTimer = clock.after(START_MS, () => resolve(undefined));
    started.answers.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (text.includes("\n")) resolve(text.trim());
    });
    void started.exited.then(() => {
      stopTimer();
      resolve(undefined);
    });
  });
  if (number === undefined) {
    started.kill();
    return errors.fail("E_UNSUPPORTED", "The virtual display did not start.", {
      suggestedFix: "Run without a display, or look at its output in the details.",
      details: { output: started.output.slice(-10) },
    });
  }
  return ok({
    kind: "virtual",
    args: ["--rendering-driver", "opengl3", "--audio-driver", "Dummy"],
    env: { ...own, ...xvfb.env, DISPLAY: `:${number}` },
    warnings: [],
    close: () => started.kill(),
  });
}
