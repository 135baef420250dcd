import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { JsonObject } from "@toolpact/contract";
import { openTestServer, type TestServer, type TestServerOptions } from "./server-project.ts";
import { OUTSIDE, PROJECT, PROPERTIES, TEXTURE } from "./truth-project.ts";

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
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const open = (path: string) => {
    const server = openTestServer({ files: PROJECT, flags: { godot: path }, later });
    writeFileSync(join(server.root, "tiles.png"), TEXTURE);
    return server;
  };
  const servers = [open(""), open(godot)] as const;
  const wrong: string[] = [];
  const falseDiagnostics: string[] = [];
  const log: string[] = [];
  let comparisons = 0;
  let added = 0;
  /** Contents before each edit that can be undone, and after each undone one that can be redone. */
  let past: (readonly Contents[])[] = [];
  let future: (readonly Contents[])[] = [];
  const report = (list: string[], text: string) =>
    void list.push(`seed ${options.seed}, step ${log.length}: ${text} (${log.slice(-8).join("; ")})`);

  const onBoth = (tool: string, args: JsonObject) =>
    Promise.all(servers.map((server) => server.call(tool, args)));

  const edit = async (name: string, tool: string, args: JsonObject) => {
    log.push(name);
    const before = servers.map(contentsOf);
    const [byFiles, byBest] = await onBoth(tool, args);
    const isChanged = servers.map((server, index) => differing(before[index] ?? {}, contentsOf(server)));
    if (byFiles?.ok !== byBest?.ok)
      report(
        wrong,
        `${JSON.stringify(byFiles?.error ?? "ok")} by files, ${JSON.stringify(byBest?.error ?? "ok")} by Godot`,
      );
    for (const [index, answer] of [byFiles, byBest].entries())
      if (answer?.ok === false && isChanged[index]?.length !== 0)
        report(wrong, `a refused edit changed ${isChanged[index]}`);
    if (byFiles?.ok && isChanged.some((files) => files.length > 0)) {
      past.push(before);
      future = [];
    }
  };

  const walk = async (direction: "undo" | "redo") => {
    const [from, to] = direction === "undo" ? [past, future] : [future, past];
    const target = from.at(-1);
    if (target === undefined) return;
    log.push(direction);
    const before = servers.map(contentsOf);
    const answers = await onBoth("godot_scene", { action: direction });
    if (!answers.every(({ ok }) => ok)) {
      report(wrong, `${direction} failed: ${JSON.stringify(answers.map(({ error }) => error?.message))}`);
      past = [];
      future = [];
      return;
    }
    from.pop();
    to.push(before);
    for (const [index, server] of servers.entries())
      for (const file of differing(target[index] ?? {}, contentsOf(server)))
        report(wrong, `${direction} left other bytes in ${file} of copy ${index}`);
  };

  const outside = (files: Readonly<Record<string, string>>) => {
    log.push(`outside ${Object.keys(files)}`);
    for (const server of servers) for (const [file, text] of Object.entries(files)) server.write(file, text);
    // Undo rightly refuses what another program has changed since.
    past = [];
    future = [];
  };

  const compare = async () => {
    comparisons++;
    const [byFiles, byBest] = await Promise.all(servers.map(({ root }) => seenByGodot(godot, root)));
    if (byFiles?.scenes !== byBest?.scenes)
      report(wrong, `the copies differ: ${firstDifference(byFiles?.scenes ?? "", byBest?.scenes ?? "")}`);
    const answer = await servers[1].call("godot_diagnostics", { action: "scripts" });
    const { problems = [] } = (answer.result ?? {}) as { problems?: { path: string; line: number }[] };
    const found = [...new Set(problems.map(({ path, line }) => `${path}:${line}`))].sort();
    const expected = byBest?.errors ?? [];
    if (found.join() !== expected.join())
      report(falseDiagnostics, `the server found [${found}], Godot [${expected}]`);
  };

  const texture = () => {
    const isThere = existsSync(join(servers[0].root, "tiles.png"));
    log.push(isThere ? "texture lost" : "texture back");
    for (const { root } of servers)
      if (isThere) rmSync(join(root, "tiles.png"));
      else writeFileSync(join(root, "tiles.png"), TEXTURE);
  };

  const set = () => {
    const [file, node, property, value] = pick(PROPERTIES);
    const args = { action: "set_property", scene: `res://${file}`, node, property };
    return edit(`set ${file} ${node} ${property}`, "godot_inspector", {
      ...args,
      value: value(Math.floor(random() * 60)),
    });
  };
  const inScene = (action: string, args: JsonObject) => {
    const scene = `res://${pick(["main.tscn", "enemy.tscn", "boss.tscn"])}`;
    return edit(`${action} ${scene} ${args.node ?? args.name}`, "godot_scene", { action, scene, ...args });
  };
  const acts: readonly (readonly [number, () => unknown])[] = [
    [30, set],
    [8, () => inScene("create", { type: pick(["Node2D", "Timer", "Label"]), name: `N${added++}` })],
    [4, () => inScene("remove", { node: `N${Math.floor(random() * (added + 1))}` })],
    [4, () => inScene("rename", { node: `N${Math.floor(random() * (added + 1))}`, name: `M${added++}` })],
    [
      6,
      () =>
        edit("tiles", "godot_scene", {
          action: "set_tiles",
          scene: "res://main.tscn",
          node: "Map",
          tiles: [
            {
              cell: { x: Math.floor(random() * 9), y: Math.floor(random() * 9) },
              atlas: { x: pick([0, 1]), y: 0 },
              source: 0,
            },
          ],
        }),
    ],
    [
      6,
      () =>
        edit("typo", "godot_code", {
          action: "file.edit",
          path: `res://${pick(["enemy.gd", "hero.gd", "score.gd"])}`,
          find: ":=",
          replace: ":= =",
          maxReplacements: 2,
        }),
    ],
    [22, () => walk("undo")],
    [8, () => walk("redo")],
    [6, () => outside(pick(OUTSIDE))],
    [2, texture],
  ];
  const total = acts.reduce((all, [weight]) => all + weight, 0);
  while (log.length < steps && wrong.length + falseDiagnostics.length < 5) {
    const at = random() * total;
    const before = log.length;
    let sum = 0;
    for (const [weight, act] of acts) {
      sum += weight;
      if (at >= sum) continue;
      await act();
      break;
    }
    if (log.length === before || log.length % every !== 0) continue;
    await compare();
    options.onProgress?.(`${log.length} steps, ${wrong.length} wrong, ${falseDiagnostics.length} false`);
  }
  return { steps: log.length, comparisons, wrong, falseDiagnostics };
}

type Contents = Readonly<Record<string, string>>;

/** The files that the server may change. Godot writes the others, such as `.uid` and `.import`. */
function contentsOf({ root }: TestServer): Contents {
  return Object.fromEntries(
    readdirSync(root)
      .filter((file) => /\.(?:gd|tscn|tres)$/.test(file))
      .map((file) => [file, readFileSync(join(root, file), "utf8")]),
  );
}

function differing(one: Contents, other: Contents): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (file) => one[file] !== other[file],
  );
}

async function seenByGodot(godot: string, root: string) {
  const base = mkdtempSync(join(tmpdir(), "godot-truth-"));
  try {
    const project = join(base, "project");
    cpSync(root, project, {
      recursive: true,
      filter: (file) => !/\/(?:\.godot(?:_mcp)?|[^/]+\.import)$/.test(file),
    });
    const run = (...args: readonly string[]) =>
      promisify(execFile)(godot, ["--headless", "--path", project, ...args], {
        env: { PATH: process.env.PATH, HOME: base },
        timeout: 180_000,
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
