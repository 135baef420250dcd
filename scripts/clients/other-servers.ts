import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Checked, mentions, seesPicture } from "./checked.ts";
import { type ClientMachine, converse, runOurs } from "./drive-client.ts";
import type { Step } from "./scripted-model.ts";

/** Sets up the Godot server on a small project; then the client reads it, makes a mistake, and adds a node. */
export async function checkGodot(machine: ClientMachine): Promise<Checked> {
  const project = join(machine.home, "game");
  mkdirSync(project);
  writeFileSync(
    join(project, "project.godot"),
    'config_version=5\n\n[application]\n\nconfig/name="Orchard"\n',
  );
  writeFileSync(
    join(project, "main.tscn"),
    '[gd_scene format=3 uid="uid://b4b5c6d7e8f9a"]\n\n[node name="Main" type="Node2D"]\n',
  );
  const setUp = ["--project", project, "setup", "--client", machine.client.id, "--yes"];
  const code = await runOurs(machine, "godot-mcp-omni", setUp);
  if (code !== 0) return { passed: false, remark: `setup ends with exit code ${code}` };
  const scene = "res://main.tscn";
  const steps = [
    { server: "godot", tool: "godot_project", input: { action: "project_info.get" } },
    { server: "godot", tool: "godot_scene", input: { action: "create", scene, typ: "Node2D" } },
    {
      server: "godot",
      tool: "godot_scene",
      input: { action: "create", scene, type: "Node2D", name: "Apple" },
    },
  ] satisfies readonly Step[];
  const { results } = await converse(machine, "godot", steps);
  const [read, mistake] = [
    mentions(results[0], /Orchard/),
    mentions(results[1], /`type`|additional properties/),
  ];
  if (!read.passed || !mistake.passed) return read.passed ? mistake : read;
  const isAdded = readFileSync(join(project, "main.tscn"), "utf8").includes('name="Apple"');
  return isAdded ? { passed: true, remark: "read, mistake, edit" } : mentions(results[2], /^$/);
}

/** Puts all servers of the client behind the gate, with a policy that allows reads only. */
export async function checkGate(machine: ClientMachine): Promise<Checked> {
  const code = await runOurs(machine, "toolpact", ["gate", "wrap", "--client", machine.client.id, "--yes"]);
  if (code !== 0) return { passed: false, remark: `gate wrap ends with exit code ${code}` };
  const policy = join(machine.home, ".config/toolpact/gate.toml");
  const reads = ["x_get_me", "draw", "godot_project"].reduce(
    (text, tool) => text.replace(`"${tool}" = "person"`, `"${tool}" = "read_only"`),
    readFileSync(policy, "utf8").replace(/^wait_seconds = .*$/m, "wait_seconds = 1"),
  );
  writeFileSync(policy, reads);
  const call = (server: string, tool: string, input: Readonly<Record<string, unknown>>) => ({
    server: "toolpact",
    tool: `${server}__${tool}`,
    input,
  });
  const steps = [
    call("tuitbot", "x_get_me", {}),
    call("godot", "godot_project", { action: "project_info.get" }),
    call("tuitbot", "x_post_tweet", { text: "Through the gate." }),
    call("pictures", "draw", {}),
  ] satisfies readonly Step[];
  const { results, lastRequest } = await converse(machine, "gate", steps);
  const checks = [
    mentions(results[0], /"?username"?/),
    mentions(results[1], /Orchard/),
    mentions(results[2], /approv/i),
    machine.client.limits?.picture === undefined ? seesPicture(lastRequest, results[3]) : PASSED,
  ];
  const back = await runOurs(machine, "toolpact", ["gate", "unwrap", "--client", machine.client.id]);
  if (back !== 0) return { passed: false, remark: `gate unwrap ends with exit code ${back}` };
  const remark = machine.client.limits?.picture === undefined ? "read, queued, picture" : "read, queued";
  return checks.find(({ passed }) => !passed) ?? { passed: true, remark };
}

const PASSED: Checked = { passed: true, remark: "" };
