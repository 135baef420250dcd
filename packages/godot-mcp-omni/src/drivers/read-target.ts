import type { Failure, Outcome } from "@toolpact/contract";
import { ok } from "@toolpact/contract/outcome";
import { errors, type GodotCode } from "../errors.ts";
import type { Mode } from "../workspace/godots.ts";
import type { GodotDriver, RequestOptions } from "./driver.ts";
import { loadScene } from "./files/load-scene.ts";
import { readerOf, type SceneReader } from "./files/read-scene.ts";
import type { Operation, ParamsOf, ResultOf, Target } from "./operations.ts";
import { type SceneRequest, type SceneWork, sceneTarget } from "./scene-target.ts";

type Read<T> = Outcome<{ value: T; mode: Mode }, Failure<GodotCode>>;

/** Reads something of a scene: by a Godot where there is one, else from its text. */
export async function readScene<O extends Operation>(
  work: SceneWork,
  request: SceneRequest,
  operation: O,
  params: (scene: string) => ParamsOf<O>,
  fromText: (reader: SceneReader, scene: string) => Outcome<ResultOf<O>, Failure<GodotCode>>,
): Promise<Read<ResultOf<O>>> {
  const target = await sceneTarget(work, request);
  if (!target.ok) return target;
  const { way, path } = target.value;
  if (way.driver !== undefined)
    return asked(way.driver, operation, params(path.res), { signal: work.signal });
  const loaded = await loadScene(work.project, path);
  if (!loaded.ok) return loaded;
  const read = fromText(readerOf(path.res, loaded.value.scene, loaded.value.world), path.res);
  return read.ok ? ok({ value: read.value, mode: "files" }) : read;
}

export async function asked<O extends Operation>(
  driver: GodotDriver,
  operation: O,
  params: ParamsOf<O>,
  options: RequestOptions,
): Promise<Read<ResultOf<O>>> {
  const answer = await driver.request(operation, params, options);
  return answer.ok ? ok({ value: answer.value, mode: driver.mode }) : answer;
}

export interface TargetInput extends SceneRequest {
  readonly node?: string | undefined;
  readonly class?: string | undefined;
  readonly resource?: string | undefined;
}

export type WhichTarget =
  | { readonly kind: "node"; readonly node: string }
  | { readonly kind: "class"; readonly class: string }
  | { readonly kind: "resource"; readonly resource: string };

/** Exactly one of node, class and resource. */
export async function whichTarget(
  { project }: SceneWork,
  input: TargetInput,
): Promise<Outcome<WhichTarget, Failure<GodotCode>>> {
  const { node, class: className, resource } = input;
  if ([node, className, resource].filter((given) => given !== undefined).length !== 1)
    return errors.fail("E_SCHEMA_VALIDATION", "Name exactly one of node, class and resource.");
  if (node !== undefined) return ok({ kind: "node", node });
  if (className !== undefined) return ok({ kind: "class", class: className });
  const path = await project.resolve(resource ?? "");
  return path.ok ? ok({ kind: "resource", resource: path.value.res }) : path;
}

/** A target in the words of the operations. */
export function operationTarget(target: WhichTarget, scene: string | undefined): Target {
  if (target.kind === "class") return { class: target.class };
  if (target.kind === "resource") return { resource: target.resource };
  return { node: target.node, ...(scene !== undefined && { scene }) };
}
