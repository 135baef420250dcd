import { join } from "node:path";
import { type Clock, type Failure, systemClock } from "@toolpact/contract";
import { makeFolderSync } from "@toolpact/file-lock";
import { failed, ok } from "@toolpact/outcome";
import { errors, type ReplyCode } from "../errors.ts";
import { withoutDotNet } from "../godot/binary.ts";
import { cacheFolder } from "../godot/environment.ts";
import { packageFolder } from "../godot/package-folder.ts";
import { Control, failureOf, parse } from "./control.ts";
import type { Message } from "./debugger/message-stream.ts";
import type { Session } from "./debugger/session.ts";
import { type Display, openDisplay } from "./display.ts";
import { errorOf, isOwn, linesOf } from "./engine-messages.ts";
import { askToSuspend, Game, type Pace } from "./game.ts";
import { GameLog } from "./game-log.ts";
import type { GameAnswer, GameExit, GameOptions, StackFrame, Started } from "./game-shapes.ts";
import { type DebuggedProcess, type GuardedProcess, startDebugged } from "./guarded-process.ts";
import { Profiler } from "./profiler.ts";
import { openSandbox } from "./sandbox.ts";
import { Stops } from "./stops.ts";

const START_MS = 60_000;
/** Frames per second of a game that starts paused: its steps last equally long on every machine. */
const STEPPED_FPS = 60;
const BREAK_MS = 3_000;
const LAST_WORDS = 40;

/**
 * Runs a project's game with this process as its debugger. Nothing is written into the project. Returns after the
 * first frame, or when the game stops in the debugger or ends before it.
 */
export async function startGame(options: GameOptions): GameAnswer<Game> {
  const { binary, clock = systemClock, display: choice = "auto" } = options;
  // A program on the user's display can read keystrokes, so a sandboxed game gets a separate display.
  const env = options.sandbox
    ? { ...options.env, DISPLAY: undefined, WAYLAND_DISPLAY: undefined }
    : options.env;
  const begun = clock.now();
  const home = join(cacheFolder(env, process.platform), "home");
  options.onProgress?.("Opening a display", 1);
  const display = await openDisplay({ choice, godot: binary.path, env, home, clock });
  if (!display.ok) return display;
  makeFolderSync(options.folder, 0o777);
  const sandbox = options.sandbox
    ? openSandbox({
        env,
        project: options.project,
        home,
        pictures: options.folder,
        display: display.value.env.DISPLAY,
      })
    : undefined;
  if (sandbox?.ok === false) {
    display.value.close();
    return sandbox;
  }
  options.onProgress?.("Starting Godot", 2);
  const started = await startDebugged(
    binary.path,
    {
      args: argumentsOf(options, display.value),
      env: { ...display.value.env, ...settingsOf(options) },
      clock,
    },
    sandbox?.value,
  );
  void started.exited.then(() => display.value.close());
  const opened = await connect(started, options);
  if (!opened.ok) return opened;
  options.onProgress?.("Waiting for the first frame", 3);
  const noCSharp = withoutDotNet(binary, options.project);
  const warnings = [...display.value.warnings, ...(noCSharp === undefined ? [] : [noCSharp])];
  return play(opened.value, started, { ...display.value, warnings }, begun, options);
}

/** Settings for the control script. */
function settingsOf(options: GameOptions) {
  const { scene = "", paused = false, size } = options;
  return {
    GODOT_MCP_FIXED_FPS: fixedFpsOf(options)?.toString() ?? "",
    GODOT_MCP_GAME_SCENE: scene,
    GODOT_MCP_GAME_PAUSED: paused ? "1" : "",
    GODOT_MCP_GAME_SIZE: size === undefined ? "" : `${size.width}x${size.height}`,
  };
}

function fixedFpsOf({ fixedFps, paused }: GameOptions): number | undefined {
  return fixedFps ?? (paused ? STEPPED_FPS : undefined);
}

function argumentsOf(options: GameOptions, display: Display): readonly string[] {
  const { breakpoints = [], size, userArgs = [] } = options;
  const fixedFps = fixedFpsOf(options);
  return [
    ...display.args,
    "--path",
    options.project,
    "--script",
    join(packageFolder, "engine/game_boot.gd"),
    ...(breakpoints.length === 0
      ? []
      : ["--breakpoints", breakpoints.map(({ path, line }) => `${path}:${line}`).join(",")]),
    ...(fixedFps === undefined ? [] : ["--fixed-fps", String(fixedFps)]),
    ...(size === undefined ? [] : ["--resolution", `${size.width}x${size.height}`]),
    ...(userArgs.length === 0 ? [] : ["--", ...userArgs]),
  ];
}

async function connect(
  started: DebuggedProcess,
  { clock = systemClock, startMs = START_MS, signal }: GameOptions,
): GameAnswer<Session> {
  const stop = () => started.kill();
  const stopTimer = clock.after(startMs, stop);
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  const session = await Promise.race([started.session, started.exited.then(() => undefined)]);
  stopTimer();
  signal?.removeEventListener("abort", stop);
  if (session !== undefined) return ok(session);
  return signal?.aborted
    ? givenUp()
    : errors.fail("E_NOT_CONNECTED", "Godot ended before the game began.", {
        suggestedFix: "Look at its output in the details; `godot-mcp-omni doctor` checks the installation.",
        details: { output: started.output.slice(-20) },
      });
}

async function play(
  session: Session,
  started: GuardedProcess,
  display: Display,
  begun: number,
  options: GameOptions,
): GameAnswer<Game> {
  const { clock = systemClock, startMs = START_MS, signal, folder, breakpoints = [] } = options;
  const log = new GameLog();
  const control = new Control(session, clock);
  const stops = new Stops(session, control, log, options.stopAtErrors === true, clock);
  const profiler = new Profiler(session, clock);
  const first = new FirstFrame();
  const pace: Pace = {};
  session.onMessage((message) => {
    hearLog(message, log);
    if (message.name === "mcp:answer") control.hear(message.data);
    if (message.name === "mcp:bye") session.send("mcp:bye");
    if (message.name === "mcp:hello" && options.paused) askToSuspend(session);
    if (message.name === "mcp:go") void letRun(session, pace);
    stops.hear(message);
    profiler.hear(message);
    first.hear(message);
  });
  const { ended, end } = endOf(started, session);
  const came = await first.wait({ stops, ended, clock, startMs, signal });
  if (came === "frame" || came === "stop" || came === "end") {
    const known = { ...first.hello, display: display.kind, warnings: display.warnings };
    const parts = {
      session,
      process: started,
      control,
      stops,
      log,
      pace,
      clock,
      profiler,
      folder,
      breakpoints,
      isPaused: options.paused === true,
      ended,
      end,
    };
    return ok(new Game({ ...parts, started: { ...known, startMs: clock.now() - begun } }));
  }
  if (came === "late") session.send("break");
  const stop = came === "late" ? await stops.wait({ timeoutMs: BREAK_MS }) : undefined;
  await end();
  if (came === "aborted") return givenUp();
  if (came !== "late") return failed(withErrors(came, log));
  return errors.fail("E_TIMEOUT", `The game showed no frame within ${startMs} ms and was stopped.`, {
    suggestedFix: "The stack in the details shows where it was.",
    details: {
      stack: stop?.ok ? stop.value.stack.map((frame) => ({ ...frame })) : [],
      output: log.output({ limit: 20 }).lines.map(({ text }) => text),
    },
  });
}

async function letRun(session: Session, { beforeFrame }: Pace): Promise<void> {
  await beforeFrame?.();
  session.send("scene:suspend_changed", [false]);
}

function endOf(started: GuardedProcess, session: Session) {
  let isOurs = false;
  const ended = Promise.all([started.exited, session.closed]).then(
    ([{ code, signal }]): GameExit => ({
      code,
      signal,
      ended: isOurs,
      ...(!isOurs && isCrash(code, signal) && { crash: started.output.slice(-LAST_WORDS) }),
    }),
  );
  const end = () => {
    isOurs = true;
    started.kill();
    return ended;
  };
  return { ended, end };
}

function hearLog({ name, data }: Message, log: GameLog): void {
  if (name === "output") for (const { text, isError } of linesOf(data)) log.write(text, isError);
  if (name !== "error") return;
  const error = errorOf(data);
  if (error.severity === "error" || !isNoise(error)) log.addError(error);
}

/** Warnings about this package's own scripts, and about V-Sync on a virtual display. */
function isNoise({ path, function: name }: StackFrame): boolean {
  return isOwn(path) || name === "set_use_vsync";
}

function withErrors(failure: Failure<ReplyCode>, log: GameLog): Failure<ReplyCode> {
  const found = log.errors().errors.map(({ message, path, line }) => ({ message, path, line }));
  return found.length === 0 ? failure : { ...failure, details: { ...failure.details, errors: found } };
}

/** Godot's crash handler aborts the process, which a shell reports as 134. */
function isCrash(code: number | null, signal: string | null): boolean {
  return signal !== null || (code !== null && code >= 128);
}

function givenUp() {
  return errors.fail("E_TIMEOUT", "The start was cancelled by the caller, and the game was stopped.");
}

/** The first event: a frame, a stop or the end of the game, or why none of them can happen. */
type Came = "frame" | "stop" | "end" | "late" | "aborted" | Failure<ReplyCode>;

interface FirstFrameOptions {
  readonly stops: Stops;
  readonly ended: Promise<GameExit>;
  readonly clock: Clock;
  readonly startMs: number;
  readonly signal: AbortSignal | undefined;
}

class FirstFrame {
  hello: Pick<Started, "scene" | "renderer" | "godot"> = { scene: "", renderer: "", godot: "" };
  private settle: (came: Came) => void = () => {};
  private readonly came: Promise<Came>;

  constructor() {
    this.came = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  hear({ name, data }: Message): void {
    if (name === "mcp:ready") this.settle("frame");
    if (name === "mcp:failed") this.settle(failureOf(parse(data[0])));
    if (name !== "mcp:hello") return;
    const { scene, renderer, godot } = parse(data[0]) ?? {};
    this.hello = { scene: String(scene), renderer: String(renderer), godot: String(godot) };
  }

  async wait({ stops, ended, clock, startMs, signal }: FirstFrameOptions): Promise<Came> {
    const onAbort = () => this.settle("aborted");
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) onAbort();
    void stops.wait({ timeoutMs: startMs }).then((stop) => stop.ok && this.settle("stop"));
    void ended.then(() => this.settle("end"));
    const stopTimer = clock.after(startMs, () => this.settle("late"));
    const came = await this.came;
    stopTimer();
    signal?.removeEventListener("abort", onAbort);
    return came;
  }
}
