import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { root } from "../packages.ts";
import { checkPlugins } from "./check-plugins.ts";
import { brief, type Checked, mentions, seesPicture } from "./checked.ts";
import { REAL_CLIENTS, type RealClient } from "./client-table.ts";
import { cancelInWindow, hasTmux, hurryThroughForm } from "./client-window.ts";
import {
  addServer,
  type ClientMachine,
  converse,
  newClientMachine,
  runOurs,
  serveOverHttp,
  startClient,
} from "./drive-client.ts";
import { checkGate, checkGodot } from "./other-servers.ts";
import type { Step } from "./scripted-model.ts";

/** The checks in table order, with their column headings. */
export const CHECKS = {
  setup: "`mcp setup`",
  tools: "tools at the model",
  read: "read",
  bad_call: "bad call",
  queued: "queued post",
  picture: "picture",
  nobody_answers: "approval without a user",
  form: "approval form, three times Enter",
  found_tool: "tool found by `find_tools`",
  resource: "resource",
  http: "HTTP with token",
  prompt: "prompt",
  cancel: "cancelled call",
  godot: "godot-mcp-omni",
  gate: "all servers behind the gate",
  plugin: "plugins or extensions of both servers",
} as const;

export type CheckName = keyof typeof CHECKS;

export interface ClientReport {
  readonly id: string;
  readonly checks: Readonly<Partial<Record<CheckName, Checked>>>;
  /** The folder with the client's output. */
  readonly folder: string;
}

/** The failed checks, each with what reached the model. */
export function failuresOf({ checks }: ClientReport): string[] {
  return Object.entries(checks).flatMap(([name, { passed, remark }]) =>
    passed ? [] : [`${name}: ${remark}`],
  );
}

/** Everything a user does with a client in the first minutes, over stdio and HTTP. */
async function checkClient(id: string, program: string): Promise<ClientReport> {
  const client = REAL_CLIENTS.find((one) => one.id === id);
  if (client === undefined) throw new Error(`There is no client ${id}.`);
  const folder = mkdtempSync(join(tmpdir(), `toolpact-client-${id}-`));
  const machine = await newClientMachine(client, program, folder);
  try {
    const checks = {
      ...(await overStdio(machine)),
      ...(await withPrompt(machine)),
      ...(await inWindow(machine)),
      cancel: await cancelled(machine),
      godot: await checkGodot(machine),
      gate: await checkGate(machine),
      http: await overHttp(machine),
    };
    const plugin = await withPlugins(client, program, join(folder, "plugins"));
    const all = { ...checks, plugin };
    return { id, checks: { ...all, ...limitsIn(client, all) }, folder };
  } finally {
    machine.model.close();
  }
}

/** Checks that failed because of the client itself. */
function limitsIn({ limits = {} }: RealClient, checks: ClientReport["checks"]): ClientReport["checks"] {
  const known = Object.entries(limits).filter(([name]) => checks[name as CheckName]?.passed === false);
  return Object.fromEntries(known.map(([name, remark]) => [name, { passed: true, remark }]));
}

/** Tests plugins on a separate machine, without the configured servers. */
async function withPlugins(client: RealClient, program: string, folder: string): Promise<Checked> {
  const machine = await newClientMachine(client, program, folder);
  try {
    return await checkPlugins(machine);
  } finally {
    machine.model.close();
  }
}

const POST = "Sourdough starter doubled in four hours today.";

const STEPS = [
  { server: "tuitbot", tool: "x_get_me", input: {} },
  { server: "tuitbot", tool: "x_post_tweet", input: { txt: POST } },
  { server: "tuitbot", tool: "x_post_tweet", input: { text: POST } },
  { server: "pictures", tool: "draw", input: {} },
  { server: "tuitbot", tool: "approve_item", input: { id: 1 } },
  { server: "tuitbot", tool: "find_tools", input: { query: "list the accounts that I muted" } },
  { server: "tuitbot", tool: "x_v2_mutes_list", input: {} },
] satisfies readonly Step[];

async function overStdio(machine: ClientMachine): Promise<ClientReport["checks"]> {
  const { client } = machine;
  const code = await runOurs(machine, "tuitbot", [
    "mcp",
    "setup",
    "--sandbox",
    "--client",
    client.id,
    "--yes",
  ]);
  await addServer(machine, "pictures", {
    kind: "stdio",
    command: process.execPath,
    args: [
      "--conditions=toolpact-source",
      join(root, "packages/contract/test/clients-stdio.ts"),
      folderOf(machine),
    ],
  });
  const resource = client.resourceTool && {
    tool: client.resourceTool,
    input: { server: "tuitbot", uri: "tuitbot://errors" },
  };
  const seen = await converse(machine, "stdio", [...STEPS, ...(resource ? [resource] : [])]);
  const [read, bad, queued, drawn, unanswered, , found, errors] = seen.results;
  const offered = [...seen.offered].filter((name) => name.includes("tuitbot")).length;
  return {
    setup: {
      passed: code === 0 && read !== undefined,
      remark: code === 0 ? "connects" : `exit code ${code}`,
    },
    tools: {
      passed: client.deferral !== undefined || offered > 0,
      remark: client.deferral === undefined ? `${offered}` : `${offered}, the others by its own search`,
    },
    read: mentions(read, /"?username"?/),
    bad_call: mentions(bad, /text/),
    queued: mentions(queued, /queued/),
    picture: seesPicture(seen.lastRequest, drawn),
    nobody_answers: mentions(unanswered, /nobody has answered|tuitbot approve/),
    found_tool: mentions(found, /success|data/),
    ...(resource && { resource: mentions(errors, /x_rate_limited/) }),
  };
}

/** The folder where the fixture leaves its marks, next to the user's working folder. */
function folderOf({ cwd }: ClientMachine): string {
  return join(cwd, "..");
}

/** Runs a prompt of tuitbot, whose text must reach the model. */
async function withPrompt(machine: ClientMachine): Promise<ClientReport["checks"]> {
  const request = machine.client.prompt?.("tuitbot", "catch_up");
  if (request === undefined) return {};
  const { lastRequest } = await converse(machine, "prompt", [], request);
  const isSeen = lastRequest.includes("needs an answer, nice to know, ignore");
  return {
    prompt: isSeen
      ? { passed: true, remark: "yes" }
      : { passed: false, remark: "it did not reach the model" },
  };
}

/**
 * Cancels a waiting call: with Escape if the checks can drive the client's window, otherwise by ending the
 * client. The server must then stop.
 */
async function cancelled(machine: ClientMachine): Promise<Checked> {
  const mark = (name: "waiting" | "cancelled") => join(folderOf(machine), name);
  const steps = [{ server: "pictures", tool: "wait", input: {} }] satisfies readonly Step[];
  const marks = {
    isWaiting: () => existsSync(mark("waiting")),
    isCancelled: () => existsSync(mark("cancelled")),
  };
  if (machine.client.window !== undefined && hasTmux) {
    const isCancelled = await cancelInWindow(machine, steps, marks);
    if (!marks.isWaiting()) return { passed: false, remark: "the call did not begin" };
    return isCancelled
      ? { passed: true, remark: "with Escape" }
      : { passed: false, remark: "the server was not notified within 10 s of Escape" };
  }
  machine.model.play(steps);
  const child = startClient(machine, join(folderOf(machine), "cancel.log"));
  await look(() => marks.isWaiting() || child.exitCode !== null || child.signalCode !== null);
  if (!marks.isWaiting()) return { passed: false, remark: "the call did not begin" };
  const server = Number(readFileSync(mark("waiting"), "utf8"));
  const group = -(child.pid ?? 0);
  signal(group, "SIGINT");
  await look(() => !isRunning(server));
  const hasEnded = !isRunning(server);
  signal(group, "SIGKILL");
  return hasEnded
    ? { passed: true, remark: "ends with the client" }
    : { passed: false, remark: "the server went on for two minutes after Ctrl-C" };
}

function isRunning(pid: number): boolean {
  return signal(pid, 0);
}

/** False if the process, or the group of processes, has ended. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Checks twice a second, for at most two minutes. */
async function look(isTrue: () => boolean): Promise<void> {
  for (let times = 0; times < 240 && !isTrue(); times += 1) await setTimeout(500);
}

/** Pressing Enter three times must not publish a post. */
async function inWindow(machine: ClientMachine): Promise<ClientReport["checks"]> {
  const { window } = machine.client;
  if (window === undefined || !hasTmux) return {};
  window.prepare?.(machine);
  const { isShown, screen, results } = await hurryThroughForm(machine, [
    { server: "tuitbot", tool: "x_post_tweet", input: { text: `${POST} Twice.` } },
    { server: "tuitbot", tool: "approve_item", input: { id: 1 } },
  ]);
  if (!isShown) return { form: { passed: false, remark: `no form, but: ${screen.slice(-1_000)}` } };
  if (!screen.includes(POST)) return { form: { passed: false, remark: "the form does not show the post" } };
  const isSafe = /still waits/.test(results[1] ?? "");
  return {
    form: isSafe
      ? { passed: true, remark: "leaves it waiting" }
      : { passed: false, remark: brief(results[1]) },
  };
}

async function overHttp(machine: ClientMachine): Promise<Checked> {
  const server = await serveOverHttp(machine);
  try {
    const token = readFileSync(join(machine.home, ".tuitbot/server.token"), "utf8").trim();
    const headers = { Authorization: `Bearer ${token}` };
    await addServer(machine, "tuitbot", { kind: "http", url: server.url, headers });
    const { results } = await converse(machine, "http", STEPS.slice(0, 1));
    return mentions(results[0], /"?username"?/);
  } finally {
    server.stop();
  }
}

// Runs in a network namespace that has only loopback: check-client.ts CLIENT PROGRAM; prints the report as JSON.
if (import.meta.main) {
  const [id = "", program = ""] = process.argv.slice(2);
  if (!existsSync(program)) throw new Error(`There is no program ${program}.`);
  console.log(JSON.stringify(await checkClient(id, program)));
}
