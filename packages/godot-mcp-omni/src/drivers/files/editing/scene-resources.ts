import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../../../errors.ts";
import { STEP, type Steps } from "../../../formats/document.ts";
import { type Block, rawField, type SceneText, setField, textField } from "../../../formats/scene-text.ts";
import { quote, type Variant } from "../../../formats/variant.ts";
import type { SceneWorld } from "../../../scene-model/scene-world.ts";

export class SceneResources {
  private readonly scene: SceneText;
  private readonly world: SceneWorld;
  private readonly random: () => number;

  constructor(scene: SceneText, world: SceneWorld, random: () => number) {
    this.scene = scene;
    this.world = world;
    this.random = random;
  }

  /** `ExtResource("1_a")` for an existing file. */
  external(res: string): Result<Variant, "E_NOT_FOUND"> {
    const known = this.world.resource(res);
    if (known === undefined) {
      return errors.fail("E_NOT_FOUND", `There is no resource ${res.slice(0, 200)}.`, {
        details: { path: res },
        suggestedFix: "Check the path.",
      });
    }
    const listed = this.scene.tagged("ext_resource");
    const same = listed.find((block) => textField(block, "path") === res);
    if (same !== undefined) return ok(reference("ExtResource", same));
    const id = `${listed.length + 1}_${this.suffix()}`;
    const uid = known.uid === undefined ? "" : ` uid=${quote(known.uid)}`;
    const block = this.scene.insert(
      listed.at(-1) ?? this.scene.head,
      `ext_resource type=${quote(this.savedType(known.type))}${uid} path=${quote(res)} id=${quote(id)}`,
    );
    return ok(reference("ExtResource", block));
  }

  /** `SubResource("BoxShape3D_a")`, filled by `fill` once the resources it refers to exist. */
  internal(type: string): { block: Block; variant: Variant } {
    const after =
      this.scene.tagged("sub_resource").at(-1) ?? this.scene.tagged("ext_resource").at(-1) ?? this.scene.head;
    const block = this.scene.insert(
      after,
      `sub_resource type=${quote(type)} id=${quote(`${type}_${this.suffix()}`)}`,
    );
    return { block, variant: reference("SubResource", block) };
  }

  internalBlock(text: string | undefined): Block | undefined {
    const id = /^SubResource\(\s*"?([^")\s]+)"?\s*\)$/.exec(text ?? "")?.[1];
    return id === undefined
      ? undefined
      : this.scene.tagged("sub_resource").find((block) => textField(block, "id") === id);
  }

  private savedType(type: string): string {
    return SAVED_AS.find((base) => this.world.classes.inherits(type, base)) ?? type;
  }

  private suffix(): string {
    const letters = "abcdefghijklmnopqrstuvwxy012345678";
    const used = new Set(
      [...this.scene.tagged("ext_resource"), ...this.scene.tagged("sub_resource")].map((block) =>
        textField(block, "id")?.split("_").at(-1),
      ),
    );
    for (;;) {
      const made = Array.from({ length: 5 }, () => letters[Math.floor(this.random() * letters.length)]).join(
        "",
      );
      if (!used.has(made)) return made;
    }
  }
}

/** Ids of the resources that the file uses. */
function* referredIds(scene: SceneText): Steps<Set<string>> {
  const ids = new Set<string>();
  for (const [index, { heading, body }] of scene.blocks.entries()) {
    if (index % STEP === 0) yield;
    for (const part of [heading, ...body]) {
      if (!part.text.includes("Resource(")) continue;
      for (const [, kind, id] of part.text.matchAll(/\b(Ext|Sub)Resource\(\s*"?([^")\s]+)"?\s*\)/g))
        ids.add(`${kind} ${id}`);
    }
  }
  return ids;
}

/** Removes resources that `before` used and the scene no longer does. Resources that were unused before stay. */
export function* pruningResources(scene: SceneText, before: SceneText): Steps<void> {
  const referred = yield* referredIds(before);
  for (;;) {
    const now = yield* referredIds(scene);
    const unused = [...scene.tagged("ext_resource"), ...scene.tagged("sub_resource")].filter((block) => {
      const key = `${block.heading.tag === "ext_resource" ? "Ext" : "Sub"} ${textField(block, "id") ?? ""}`;
      return referred.has(key) && !now.has(key);
    });
    if (unused.length === 0) break;
    scene.removeAll(new Set(unused));
  }
}

/** Up to 4.5, Godot writes the number of resources into the heading. */
export function countLoadSteps(scene: SceneText, before: SceneText): void {
  const { head } = scene;
  const steps = head && rawField(head, "load_steps");
  const more = resourceCount(scene) - resourceCount(before);
  if (head !== undefined && steps !== undefined && more !== 0)
    setField(head, "load_steps", String(Number(steps) + more));
}

function resourceCount(scene: SceneText): number {
  return scene.tagged("ext_resource").length + scene.tagged("sub_resource").length;
}

function reference(kind: "ExtResource" | "SubResource", block: Block): Variant {
  return { kind: "call", name: kind, args: [{ kind: "string", value: textField(block, "id") ?? "" }] };
}

/** Godot writes one of these for a file of a class that inherits it. */
const SAVED_AS: readonly string[] = [
  ...["AudioStream", "Material", "Script", "Shader", "Shape2D", "Shape3D"],
  ...["StyleBox", "Texture2D", "Translation", "VideoStream"],
];
