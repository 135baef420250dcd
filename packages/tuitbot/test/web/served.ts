import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type {
  CommandArgs,
  CommandName,
  Commands,
  Refused,
  SessionAnswer,
  SignedIn,
} from "../../src/web/api.ts";
import { cleanEnv, type Envelope, tuitbotCommand } from "../live-server.ts";

/** A server as a separate process, with its dashboard and an agent. */
export interface Served {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
  readonly link: string;
  readonly printed: string;
  /** Makes a call as an agent over MCP. */
  readonly call: (tool: string, args?: Record<string, unknown>) => Promise<Envelope>;
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
}

export function newHome(): { readonly home: string; readonly remove: () => void } {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "tuitbot-web-")));
  return { home, remove: () => rmSync(home, { recursive: true, force: true }) };
}

export interface ServeOptions {
  readonly words?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** The agent's name for itself. */
  readonly agent?: string;
  /** The program to run instead of the sources. */
  readonly program?: { readonly command: string; readonly args: readonly string[] };
}

const LINK = /(http:\/\/\S+\/)#signin=(\S+)/;

/** Runs `tuitbot WORDS` until it says where its page is. */
export async function serve(
  home: string,
  {
    words = ["mcp", "serve", "--sandbox", "--http", "0"],
    env = {},
    agent: name = "agent of the test",
    program: { command, args } = tuitbotCommand,
  }: ServeOptions = {},
): Promise<Served> {
  const child = spawn(command, [...args, ...words], { env: cleanEnv(home, env), cwd: home });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const printed = await printedUntil(child, "Stop with Ctrl-C.", ended);
  const [, url = "", link = ""] = LINK.exec(printed) ?? [];
  const [, token = ""] = /Authorization: Bearer (\S+)"/.exec(printed) ?? [];
  let agent: Promise<Client> | undefined;
  async function connect(): Promise<Client> {
    const client = new Client({ name, version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit }));
    return client;
  }
  return {
    pid: child.pid ?? 0,
    url,
    token,
    link,
    printed,
    async call(tool, args = {}) {
      agent ??= connect();
      const { structuredContent } = await (await agent).callTool({ name: tool, arguments: args });
      // Every answer of this server is the envelope; tests check what is in it.
      return structuredContent as unknown as Envelope;
    },
    async stop(signal = "SIGTERM") {
      await (await agent)?.close();
      child.kill(signal);
      await ended;
    },
  };
}

/** Runs a command to its end; what it prints. */
export async function tuitbot(
  home: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const { command, args } = tuitbotCommand;
  const child = spawn(command, [...args, ...words], { env: cleanEnv(home, env), cwd: home });
  let out = "";
  child.stdout.on("data", (bytes: Buffer) => {
    out += bytes;
  });
  await new Promise((resolve) => child.once("close", resolve));
  return out;
}

function printedUntil(
  child: ChildProcessWithoutNullStreams,
  end: string,
  ended: Promise<void>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let [out, err] = ["", ""];
    child.stdout.on("data", (bytes: Buffer) => {
      out += bytes;
      if (out.includes(end)) resolve(out);
    });
    child.stderr.on("data", (bytes: Buffer) => {
      err += bytes;
    });
    void ended.then(() => reject(new Error(`It ended. ${out}${err}`)));
  });
}

export interface Answered<Body> {
  readonly status: number;
  readonly body: Body;
}

/** A browser: it keeps its cookie, and sends what a page of this server would send. */
export class Browser {
  readonly url: string;
  cookie = "";
  /** As the server set it, with its attributes. */
  setCookie = "";
  csrf = "";

  constructor(url: string) {
    this.url = url;
  }

  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.cookie !== "" && !headers.has("cookie")) headers.set("cookie", this.cookie);
    const response = await fetch(new URL(path, this.url), { ...init, headers });
    const set = response.headers.get("set-cookie");
    if (set !== null) {
      this.setCookie = set;
      this.cookie = set.split(";")[0] ?? "";
    }
    return response;
  }

  async post<Body>(
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answered<Body>> {
    const response = await this.request(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: {
        "content-type": "application/json",
        ...(this.csrf !== "" && { "x-tuitbot-csrf": this.csrf }),
        ...headers,
      },
    });
    // Tests check what is in it.
    return { status: response.status, body: (await response.json()) as Body };
  }

  async signIn(link: string): Promise<Answered<SignedIn & Refused>> {
    const answered = await this.post<SignedIn & Refused>("/api/sign-in", { link });
    if (answered.status === 200) this.csrf = answered.body.csrf_token;
    return answered;
  }

  async session(): Promise<SessionAnswer> {
    const response = await this.request("/api/session");
    return (await response.json()) as SessionAnswer;
  }

  command<Name extends CommandName>(
    name: Name,
    ...[args]: CommandArgs<Name>
  ): Promise<Answered<Commands[Name]["answer"] & Refused>> {
    return this.post(`/api/commands/${name}`, args ?? {});
  }

  tool(name: string, args: object = {}): Promise<Answered<Envelope & Refused>> {
    return this.post(`/api/tools/${name}`, args);
  }
}
