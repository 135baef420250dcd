import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Clock, Json, JsonObject } from "@toolpact/contract";
import { isJsonObject } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import { type GuardedProcess, startGuarded } from "../game/guarded-process.ts";
import type { GodotBinary } from "../godot/binary.ts";
import { cacheFolder, type Environment, headlessEnvironment } from "../godot/environment.ts";
import { waitForEvent } from "../wait-for-event.ts";
import { JsonRpc } from "./json-rpc.ts";

export interface LanguageServerOptions {
  /** Refused for an untrusted project: an editor runs its plugins and `@tool` scripts. */
  readonly binary: () => Promise<Result<GodotBinary>>;
  readonly project: string;
  readonly env: Environment;
  readonly clock: Clock;
  /** The script of each `class_name`, according to the current files. */
  readonly classes: () => Promise<ReadonlyMap<string, string>>;
}

export interface Diagnostic {
  readonly line: number;
  readonly severity: "error" | "warning";
  readonly message: string;
}

/** A position in a script; line and column are 1-based. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

type LanguageAnswer<T> = Promise<Result<T>>;

interface LanguageConnection {
  readonly rpc: JsonRpc;
  readonly process: GuardedProcess;
  /** Versions of the documents sent to it. */
  readonly versions: Map<string, number>;
  /** The classes at its start; it registers new ones only then. Changed files it rereads by itself. */
  readonly classes: ReadonlyMap<string, string>;
}

const START_MS = 120_000;
const ANSWER_MS = 20_000;
/** An editor takes about 700 MB, so it is ended when idle. */
const IDLE_MS = 120_000;
const RETRY_MS = 100;

/**
 * Godot's own language server: a headless editor on a loopback port, started by the first question and ended after
 * an idle time. It checks the text it receives, so nothing has to be written first.
 */
export class LanguageServer {
  private readonly options: LanguageServerOptions;
  private turn: Promise<unknown> = Promise.resolve();
  private connection: LanguageConnection | undefined;
  private stopIdle = () => {};
  private isClosed = false;

  constructor(options: LanguageServerOptions) {
    this.options = options;
  }

  diagnostics(path: string, text: string, signal: AbortSignal): LanguageAnswer<Diagnostic[]> {
    return this.use(signal, async ({ rpc, versions }) => {
      const uri = this.uriOf(path);
      let stop = () => {};
      const pushed = new Promise<JsonObject>((resolve) => {
        stop = rpc.listen((method, params) => {
          if (method === "textDocument/publishDiagnostics" && params.uri === uri) resolve(params);
        });
      });
      send(rpc, versions, uri, text);
      const params = await pushed.finally(stop);
      return ok(listOf(params.diagnostics).map(diagnosticOf));
    });
  }

  /** Asks about a script with the content `text`; pass a position if the method takes one. */
  ask(
    method: string,
    path: string,
    text: string,
    at: Position | undefined,
    signal: AbortSignal,
  ): LanguageAnswer<Json> {
    return this.use(signal, async ({ rpc, versions }) => {
      const uri = this.uriOf(path);
      send(rpc, versions, uri, text);
      const position = at && { line: at.line - 1, character: at.column - 1 };
      const answer = await rpc.request(method, { textDocument: { uri }, ...(position && { position }) });
      if (answer === undefined) return gone();
      const { error } = answer;
      if (isJsonObject(error))
        return errors.fail(
          "E_UNSUPPORTED",
          `Godot's language server refused: ${String(error.message).slice(0, 300)}.`,
        );
      return ok(answer.result ?? null);
    });
  }

  /** The project path of a URI; undefined for files outside. */
  pathOf(uri: Json | undefined): string | undefined {
    if (typeof uri !== "string" || !uri.startsWith("file://")) return undefined;
    const file = fileURLToPath(uri);
    const root = `${this.options.project}/`;
    return file.startsWith(root) ? `res://${file.slice(root.length)}` : undefined;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.stop();
  }

  private uriOf(res: string): string {
    return pathToFileURL(join(this.options.project, res.slice("res://".length))).href;
  }

  /** One question after the other, with a time limit; canceled calls are dropped. */
  private use<T>(
    signal: AbortSignal,
    work: (connection: LanguageConnection) => LanguageAnswer<T>,
  ): LanguageAnswer<T> {
    const done = this.turn.then(async () => {
      this.stopIdle();
      const ready = await this.ready(signal);
      if (!ready.ok) return ready;
      const answer = await Promise.race([
        work(ready.value),
        this.givenUp(signal, ANSWER_MS),
        this.ended(ready.value),
      ]);
      // A server that did not answer may stay silent.
      if (!answer.ok && answer.failure.code !== "E_UNSUPPORTED") await this.stop();
      this.stopIdle = this.options.clock.after(IDLE_MS, () => void this.stop());
      return answer;
    });
    this.turn = done.catch(() => undefined);
    return done;
  }

  private async ready(signal: AbortSignal): LanguageAnswer<LanguageConnection> {
    if (this.isClosed) return errors.fail("E_NOT_CONNECTED", "The language server has been closed.");
    const classes = await this.options.classes();
    if (this.connection?.rpc.isOpen && isSame(this.connection.classes, classes)) return ok(this.connection);
    await this.stop();
    const binary = await this.options.binary();
    if (!binary.ok) return binary;
    const [port, held] = await Promise.all([freePort(), heldPort()]);
    const { env, clock, project } = this.options;
    const started = startGuarded(binary.value.path, {
      args: [
        "--headless",
        "--editor",
        "--path",
        project,
        "--lsp-port",
        String(port),
        // Its debug adapter opens no port if ours is taken.
        "--dap-port",
        String(held.port),
      ],
      env: {
        ...headlessEnvironment(env, join(cacheFolder(env, process.platform), "home")),
        GODOT_MCP_BRIDGE: "off",
      },
      clock,
    });
    const over = started.exited.then(() => undefined);
    const socket = await Promise.race([
      connected(port, clock, over),
      over,
      this.givenUp(signal, START_MS).then(() => undefined),
    ]);
    held.server.close();
    if (socket === undefined) {
      started.kill();
      return errors.fail("E_NOT_CONNECTED", "Godot's language server did not start.", {
        suggestedFix: "Look at its output in the details; `godot-mcp-omni doctor` checks the installation.",
        details: { output: started.output.slice(-20) },
      });
    }
    const rpc = new JsonRpc(socket);
    const root = pathToFileURL(project).href;
    const greeting = rpc.request("initialize", {
      processId: null,
      rootUri: root,
      rootPath: project,
      capabilities: {},
    });
    const connection = { rpc, process: started, versions: new Map<string, number>(), classes };
    this.connection = connection;
    const greeted = await Promise.race([greeting, this.givenUp(signal, ANSWER_MS).then(() => undefined)]);
    if (greeted === undefined) {
      await this.stop();
      return gone();
    }
    rpc.notify("initialized", {});
    return ok(connection);
  }

  private async ended({ process }: LanguageConnection) {
    await process.exited;
    return gone();
  }

  private givenUp(signal: AbortSignal, ms: number): Promise<Result<never, "E_TIMEOUT">> {
    return waitForEvent<Result<never, "E_TIMEOUT">>(
      { clock: this.options.clock, timeoutMs: ms, signal },
      (aborted) => {
        const why = aborted ? "was still busy when the caller gave up" : `did not answer within ${ms} ms`;
        return errors.fail("E_TIMEOUT", `Godot's language server ${why}.`, { details: { aborted } });
      },
      () => [],
    );
  }

  private async stop(): Promise<void> {
    this.stopIdle();
    const { connection } = this;
    this.connection = undefined;
    if (connection === undefined) return;
    connection.rpc.close();
    connection.process.kill();
    await connection.process.exited;
  }
}

function isSame(one: ReadonlyMap<string, string>, two: ReadonlyMap<string, string>): boolean {
  return one.size === two.size && [...one].every(([name, path]) => two.get(name) === path);
}

/** Sends the current text, which every question is about. */
function send(rpc: JsonRpc, versions: Map<string, number>, uri: string, text: string): void {
  const version = (versions.get(uri) ?? 0) + 1;
  versions.set(uri, version);
  if (version === 1)
    rpc.notify("textDocument/didOpen", { textDocument: { uri, languageId: "gdscript", version, text } });
  else rpc.notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [{ text }] });
}

function gone() {
  return errors.fail("E_NOT_CONNECTED", "Godot's language server ended; the next call starts it again.");
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Severity 1 is an error; all others are warnings. */
function diagnosticOf(value: Json): Diagnostic {
  const { message, severity, range } = isJsonObject(value) ? value : {};
  return {
    line: lineOf(range),
    severity: severity === 1 ? "error" : "warning",
    message: String(message ?? ""),
  };
}

/** The 1-based line of a range. */
export function lineOf(range: Json | undefined): number {
  const start = isJsonObject(range) && isJsonObject(range.start) ? range.start.line : undefined;
  return typeof start === "number" ? start + 1 : 1;
}

async function connected(port: number, clock: Clock, over: Promise<undefined>): Promise<Socket | undefined> {
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  for (;;) {
    const socket = await new Promise<Socket | undefined>((resolve) => {
      const attempt = connect(port, "127.0.0.1", () => resolve(attempt));
      attempt.once("error", () => resolve(undefined));
    });
    if (socket !== undefined) return socket;
    if (isOver) return undefined;
    await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve));
  }
}

/** An unused port, for a program that cannot report which one it chose. */
async function freePort(): Promise<number> {
  const { server, port } = await heldPort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function heldPort(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  server.unref();
  // A listening server has an address with a port.
  return { server, port: (server.address() as AddressInfo).port };
}
