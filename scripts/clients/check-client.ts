import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../packages.ts";
import { REAL_CLIENTS, type RealClient } from "./client-table.ts";
import { hasTmux, hurryThroughForm } from "./client-window.ts";
import {
  addServer,
  type ClientMachine,
  converse,
  newClientMachine,
  runTuitbot,
  serveOverHttp,
} from "./drive-client.ts";
import type { Step } from "./scripted-model.ts";

/** The checks in the order of the table, with the heading of their column. */
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
} as const;

export type CheckName = keyof typeof CHECKS;

/** The outcome of a check: passed, with a short remark, or the reason why not. */
export interface Checked {
  readonly passed: boolean;
  readonly remark: string;
}

export interface ClientReport {
  readonly id: string;
  readonly checks: Readonly<Partial<Record<CheckName, Checked>>>;
  /** The folder with what the client printed. */
  readonly folder: string;
}

/** The failed checks, each with what reached the model. */
export function failuresOf({ checks }: ClientReport): string[] {
  return Object.entries(checks).flatMap(([name, { passed, remark }]) =>
    passed ? [] : [`${name}: ${remark}`],
  );
}

/** All that a user does with a client in the first minutes, over stdio and over HTTP. */
async function checkClient(id: string, program: string): Promise<ClientReport> {
  const client = REAL_CLIENTS.find((one) => one.id === id);
  if (client === undefined) throw new Error(`There is no client ${id}.`);
  const folder = mkdtempSync(join(tmpdir(), `toolpact-client-${id}-`));
  const machine = await newClientMachine(client, program, folder);
  try {
    const checks = {
      ...(await overStdio(machine)),
      ...(await inWindow(machine)),
      http: await overHttp(machine),
    };
    return { id, checks: { ...checks, ...limitsIn(client, checks) }, folder };
  } finally {
    machine.model.close();
  }
}

/** Checks that failed because of the client itself. */
function limitsIn({ limits = {} }: RealClient, checks: ClientReport["checks"]): ClientReport["checks"] {
  const known = Object.entries(limits).filter(([name]) => checks[name as CheckName]?.passed === false);
  return Object.fromEntries(known.map(([name, remark]) => [name, { passed: true, remark }]));
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
  const code = await runTuitbot(machine, ["mcp", "setup", "--sandbox", "--client", client.id, "--yes"]);
  await addServer(machine, "pictures", {
    kind: "stdio",
    command: process.execPath,
    args: ["--conditions=toolpact-source", join(root, "packages/contract/test/picture-stdio.ts")],
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
    picture: /iVBORw0KGgo/.test(seen.lastRequest)
      ? { passed: true, remark: "seen" }
      : { passed: false, remark: brief(drawn) },
    nobody_answers: mentions(unanswered, /nobody has answered|tuitbot approve/),
    found_tool: mentions(found, /success|data/),
    ...(resource && { resource: mentions(errors, /x_rate_limited/) }),
  };
}

/** Three times Enter must not publish a post. */
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

function mentions(result: string | undefined, pattern: RegExp): Checked {
  if (result === undefined) return { passed: false, remark: "no result reached the model" };
  return pattern.test(result) ? { passed: true, remark: "yes" } : { passed: false, remark: brief(result) };
}

function brief(text = "no result reached the model"): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

// Runs in a network namespace that has only loopback: check-client.ts CLIENT PROGRAM; prints the report as JSON.
if (import.meta.main) {
  const [id = "", program = ""] = process.argv.slice(2);
  if (!existsSync(program)) throw new Error(`There is no program ${program}.`);
  console.log(JSON.stringify(await checkClient(id, program)));
}
