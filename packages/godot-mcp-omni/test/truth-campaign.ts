import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { JsonObject } from "@toolpact/contract";
import { openTestServer, type TestServer, type TestServerOptions } from "./server-project.ts";
import { actsOf } from "./truth-acts.ts";
import { PROJECT, TEXTURE } from "./truth-project.ts";

export interface CampaignOptions {
  readonly godot: string;
  readonly seed: number;
  readonly steps: number;
  /** How many steps lie between two comparisons with an independent Godot. */
  readonly every: number;
  readonly later: NonNullable<TestServerOptions["later"]>;
  readonly onProgress?: (text: string) => void;
}

export interface CampaignResult {
  readonly steps: number;
  readonly comparisons: number;
  /** Differences in bytes or in what Godot makes of the files. */
  readonly wrong: readonly string[];
  /** Script errors that only the server or only Godot reports. */
  readonly falseDiagnostics: readonly string[];
}

/**
 * Random edits, typos, undo, redo and changes by other programs, on two copies of a project: one by the text of its files,
 * the other by the best driver there is. Undo must restore every byte. From time to time a Godot that never saw the server
 * reads both copies: they must be the same game, with the script errors that the server reports.
 */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { godot, steps, every, later } = options;
  const random = generator(options.seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(list: readonly T[]) => list[below(list.length)] as T;
  const servers = [openCopy("", later), openCopy(godot, later)] as const;
  const homes = servers.map(() => mkdtempSync(join(tmpdir(), "godot-truth-home-")));
  for (const home of homes) later(() => rmSync(home, { recursive: true, force: true }));
  const wrong: string[] = [];
  const falseDiagnostics: string[] = [];
  const log: string[] = [];
  let comparisons = 0;
  /** Edits that can be undone, and undone ones that can be redone. */
  let past: Step[] = [];
  let future: Step[] = [];
  const report = (list: string[], text: string) => {
    const found = `seed ${options.seed}, step ${log.length}: ${text} (${log.slice(-8).join("; ")})`;
    list.push(found);
    options.onProgress?.(found);
  };
  const contents = () => servers.map(({ server }) => contentsOf(server()));
  const onBoth = (tool: string, args: JsonObject) =>
    Promise.all(servers.map(({ server }) => server().call(tool, args)));

  const edit = async (name: string, tool: string, args: JsonObject) => {
    log.push(name);
    const before = contents();
    const answers = await onBoth(tool, args);
    const after = contents();
    const changed = before.map((files, index) => differing(files, after[index] ?? {}));
    const outcomes = answers.map((answer) => JSON.stringify(answer.ok || answer.error));
    if (answers[0]?.ok !== answers[1]?.ok) report(wrong, `${outcomes[0]} by files, ${outcomes[1]} by Godot`);
    for (const [index, answer] of answers.entries())
      if (!answer.ok && changed[index]?.length !== 0)
        report(wrong, `a refused edit changed ${changed[index]}`);
    if (changed.every((files) => files.length === 0)) return;
    future = [];
    if (changed.every((files) => files.length > 0)) past = [...past.slice(-150), { before, after }];
    // One copy may have had this value, or the defaults that Godot leaves out.
    else
      await takeBackAlone(
        changed.findIndex((files) => files.length > 0),
        before,
      );
  };

  const takeBackAlone = async (index: number, before: readonly Contents[]) => {
    const server = servers[index]?.server();
    if (server === undefined) return;
    const { ok, error } = await server.call("godot_scene", { action: "undo" });
    const left = differing(before[index] ?? {}, contentsOf(server));
    if (!ok || left.length > 0)
      report(wrong, `undo alone: ${JSON.stringify(error)}, other bytes in [${left}]`);
  };

  const walk = async (direction: "undo" | "redo") => {
    const [from, to] = direction === "undo" ? [past, future] : [future, past];
    const step = from.at(-1);
    if (step === undefined) return;
    log.push(direction);
    const [is, wanted] = direction === "undo" ? [step.after, step.before] : [step.before, step.after];
    const before = contents();
    const target = before.map((files, index) => withStep(files, is[index] ?? {}, wanted[index] ?? {}));
    const answers = await onBoth("godot_scene", { action: direction });
    const now = contents();
    for (const [index, { ok, error }] of answers.entries()) {
      const expected = target[index];
      if (ok !== (expected !== undefined))
        report(wrong, `${direction} of copy ${index} answered ${ok}: ${JSON.stringify(error)}`);
      for (const file of differing((ok && expected) || (before[index] ?? {}), now[index] ?? {}))
        report(wrong, `${direction} left other bytes in ${file} of copy ${index}`);
    }
    from.pop();
    const isUndone = now.some((files, index) => differing(before[index] ?? {}, files).length > 0);
    // Another program had taken it back before: the new bytes are lost, and other steps can be redone.
    if (answers.every(({ ok }) => ok)) return void ((direction === "redo" || isUndone) && to.push(step));
    // Changes of other programs are not undone, nor anything before them.
    past = [];
    future = [];
    // Only one copy had bytes that could be undone: both get the same again.
    if (answers.some(({ ok }) => ok)) outside(PROJECT);
  };

  const outside = (files: Readonly<Record<string, string>>) => {
    log.push(`outside ${Object.keys(files)}`);
    for (const { server } of servers)
      for (const [file, text] of Object.entries(files)) server().write(file, text);
  };

  const compare = async () => {
    comparisons++;
    const seen = servers.map(({ server }, index) => seenByGodot(godot, server().root, homes[index] ?? ""));
    const [byFiles, byBest] = await Promise.all(seen);
    if (byFiles?.scenes !== byBest?.scenes)
      report(wrong, `the copies differ: ${firstDifference(byFiles?.scenes ?? "", byBest?.scenes ?? "")}`);
    const answer = await servers[1].server().call("godot_diagnostics", { action: "scripts" });
    const { problems = [] } = (answer.result ?? {}) as { problems?: { path: string; line: number }[] };
    const found = [...new Set(problems.map(({ path, line }) => `${path}:${line}`))].sort();
    const expected = byBest?.errors ?? [];
    if (found.join() !== expected.join())
      report(falseDiagnostics, `the server found [${found}], Godot [${expected}]`);
  };

  const texture = () => {
    const isThere = existsSync(join(servers[0].server().root, "tiles.png"));
    log.push(isThere ? "texture lost" : "texture back");
    for (const { server } of servers)
      if (isThere) rmSync(join(server().root, "tiles.png"));
      else writeFileSync(join(server().root, "tiles.png"), TEXTURE);
  };

  const restart = async () => {
    log.push("restart");
    await servers[1].restart();
  };

  const read = (file: string) => servers[0].server().read(file);
  const acts = actsOf({ below, pick, edit, walk, outside, texture, restart, read });
  const total = acts.reduce((all, [weight]) => all + weight, 0);
  while (log.length < steps && wrong.length + falseDiagnostics.length < 5) {
    const before = log.length;
    let at = random() * total;
    const chosen = acts.find(([weight]) => {
      at -= weight;
      return at < 0;
    });
    await chosen?.[1]();
    if (log.length === before || log.length % every !== 0) continue;
    await compare();
    options.onProgress?.(`${log.length} steps, ${wrong.length} wrong, ${falseDiagnostics.length} false`);
  }
  return { steps: log.length, comparisons, wrong, falseDiagnostics };
}

/** Both copies before and after an edit. */
interface Step {
  readonly before: readonly Contents[];
  readonly after: readonly Contents[];
}

/** These files with what one step changes, or undefined if another program has changed one of them since. */
function withStep(files: Contents, is: Contents, wanted: Contents): Contents | undefined {
  const changing = differing(is, wanted);
  if (changing.some((file) => files[file] !== is[file] && files[file] !== wanted[file])) return undefined;
  const kept = Object.entries(files).filter(([file]) => !changing.includes(file));
  const changed = Object.entries(wanted).filter(([file]) => changing.includes(file));
  return Object.fromEntries([...kept, ...changed]);
}

/** A server on a copy of the project, which can be replaced by another one. */
function openCopy(godot: string, later: CampaignOptions["later"]) {
  const start = (project?: string) => {
    const ends: (() => void | Promise<void>)[] = [];
    const server = openTestServer({
      files: project === undefined ? PROJECT : {},
      flags: { godot, ...(project !== undefined && { project }) },
      later: (end) => void ends.unshift(end),
    });
    const [close, ...others] = ends;
    for (const end of others.reverse()) later(end);
    return { server, close };
  };
  let current = start();
  const { root, read, write } = current.server;
  writeFileSync(join(root, "tiles.png"), TEXTURE);
  later(() => current.close?.());
  return {
    /** A later server has a different state folder, and the project of the first one. */
    server: (): TestServer => ({ ...current.server, root, read, write }),
    restart: async () => {
      await current.close?.();
      current = start(root);
    },
  };
}

type Contents = Readonly<Record<string, string>>;

/** The files that the server may change. Godot writes the others, such as `.uid` and `.import`. */
function contentsOf({ root }: TestServer): Contents {
  return Object.fromEntries(
    readdirSync(root)
      .filter((file) => /^[^.].*\.(?:gd|tscn|tres|godot)$/.test(file))
      .map((file) => [file, readFileSync(join(root, file), "utf8")]),
  );
}

function differing(one: Contents, other: Contents): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (file) => one[file] !== other[file],
  );
}

async function seenByGodot(godot: string, root: string, home: string) {
  const base = mkdtempSync(join(tmpdir(), "godot-truth-"));
  try {
    const project = join(base, "project");
    cpSync(root, project, {
      recursive: true,
      filter: (file) => !/\/(?:\.godot(?:_mcp)?|[^/]+\.import)$/.test(file),
    });
    const run = (...args: readonly string[]) =>
      promisify(execFile)(godot, ["--headless", "--path", project, ...args], {
        env: { PATH: process.env.PATH, HOME: home },
        timeout: 600_000,
      });
    await run("--editor", "--quit");
    const { stdout, stderr } = await run("--script", join(import.meta.dirname, "truth-oracle.gd"));
    const places = stderr.matchAll(/SCRIPT ERROR:[^\n]*\n\s*at: GDScript::reload \((res:[^\n]+:[1-9]\d*)\)/g);
    return {
      scenes: /^ORACLE(.*)$/m.exec(stdout)?.[1] ?? "nothing printed",
      errors: [...new Set([...places].map(([, place = ""]) => place))].sort(),
    };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function firstDifference(one: string, other: string): string {
  const at = [...one].findIndex((letter, index) => letter !== other[index]);
  return `${one.slice(Math.max(0, at - 120), at + 80)} | ${other.slice(Math.max(0, at - 40), at + 80)}`;
}

/** Numbers from 0 to 1 that depend on the seed only. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
