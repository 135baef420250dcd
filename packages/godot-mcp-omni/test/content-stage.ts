import { expect } from "vitest";
import type { Making } from "./content-makers.ts";

/** A scene with animations, a state machine, a form, and what properties alone can make. */
export async function makeStage({ base, mode, content, scene, asset }: Making): Promise<void> {
  const stage = `${base}/stage.tscn`;
  await makeAnimations(stage, content, scene);
  await makeInterface(base, stage, content, scene, asset);
  await makeByProperties(base, stage, scene, asset);
  if (mode === "engine") await content("navigation.bake", { scene: stage, node: "Walk" });
}

async function makeAnimations(
  stage: string,
  content: Making["content"],
  scene: Making["scene"],
): Promise<void> {
  await scene("new", { scene: stage, type: "Node2D", name: "Stage" });
  for (const [type, name, properties] of [
    ["Sprite2D", "Hero", { position: [3, 4] }],
    ["AudioStreamPlayer", "Sound", {}],
    ["AnimationPlayer", "Other", {}],
    ["AnimationPlayer", "Anim", {}],
  ] as const)
    await scene("create", { scene: stage, type, name, properties });
  await content("animation.write", {
    scene: stage,
    player: "Other",
    animation: "blink",
    tracks: [
      {
        kind: "property",
        node: "Hero",
        property: "visible",
        update: "discrete",
        keys: [{ time: 0, value: true }],
      },
    ],
  });
  await content("animation.write", {
    scene: stage,
    player: "Anim",
    library: "moves",
    animation: "idle",
    tracks: [{ kind: "property", node: "Hero", property: "rotation", keys: [{ time: 1, value: 1 }] }],
  });
  const walk = await content("animation.write", {
    scene: stage,
    player: "Anim",
    library: "moves",
    animation: "walk",
    length: 2,
    loop: "pingpong",
    step: 0.25,
    reset: true,
    tracks: [
      {
        kind: "property",
        node: "Hero",
        property: "position",
        keys: [
          { time: 2, value: { x: 9, y: 8 } },
          { time: 0, value: [1, 2], easing: "ease_in" },
        ],
      },
      { kind: "property", node: "Hero", property: "modulate:a", keys: [{ time: 0, value: 1 }] },
      { kind: "method", node: "Hero", keys: [{ time: 0.5, method: "set_flip_h", args: [true] }] },
      {
        kind: "bezier",
        node: "Hero",
        property: "position:x",
        keys: [
          { time: 0, value: 1 },
          { time: 1, value: 7, in: [-0.5, 2] },
        ],
      },
      { kind: "audio", node: "Sound", keys: [{ time: 0.1, stream: "res://beep.wav", endOffset: 0.05 }] },
      { kind: "animation", node: "Other", keys: [{ time: 0, animation: "blink" }] },
    ],
  });
  expect(walk.summary).toContain("Wrote an animation of Anim");
  const ways = { idle: "moves/idle", walk: "moves/walk" };
  await content("animation.tree", {
    scene: stage,
    player: "Anim",
    root: {
      machine: {
        states: [
          { name: "idle", animation: ways.idle },
          {
            name: "move",
            blend1d: [
              { at: 0, animation: ways.idle },
              { at: 2, animation: ways.walk },
            ],
          },
          {
            name: "aim",
            blend2d: [
              { at: [0, 1], animation: ways.idle },
              { at: [1, 0], animation: ways.walk },
              { at: [-1, 0], animation: ways.walk },
            ],
          },
        ],
        transitions: [
          { from: "Start", to: "idle" },
          { from: "idle", to: "move", condition: "moving", fade: 0.2 },
          { from: "move", to: "aim", switch: "at_end" },
        ],
      },
    },
  });
}

async function makeInterface(
  base: string,
  stage: string,
  content: Making["content"],
  scene: Making["scene"],
  asset: Making["asset"],
): Promise<void> {
  await asset("resource.create", {
    path: `${base}/look.tres`,
    type: "Theme",
    properties: {
      default_font_size: 18,
      "Button/colors/font_color": "gold",
      "Button/constants/outline_size": 2,
      "Button/styles/normal": {
        resource: "StyleBoxFlat",
        properties: { bg_color: "#203040", corner_radius_top_left: 6 },
      },
    },
  });
  await scene("create", { scene: stage, type: "CanvasLayer", name: "Layer" });
  await content("ui.form", {
    scene: stage,
    parent: "Layer",
    name: "Options",
    title: "Options",
    theme: `${base}/look.tres`,
    fields: [
      { name: "Player", label: "Name", placeholder: "Your name" },
      { name: "Volume", type: "slider", min: 0, max: 10, value: 7 },
      { name: "Level", type: "choice", choices: ["Easy", "Hard"], value: "Hard" },
      { name: "Full", label: "Full screen", type: "check", value: true },
      { name: "Lives", type: "number", min: 1, max: 9, value: 3 },
    ],
    buttons: [
      { name: "Cancel", text: "Cancel" },
      { name: "Save", text: "Save", to: "Hero", method: "queue_free" },
    ],
  });
  // Anchors of a Control that is there are a property too.
  await scene("create", {
    scene: stage,
    type: "Label",
    name: "Score",
    parent: "Layer",
    properties: { text: "0" },
  });
  await scene("update", { scene: stage, node: "Layer/Score", properties: { anchors_preset: "bottom_wide" } });
}

async function makeByProperties(
  base: string,
  stage: string,
  scene: Making["scene"],
  asset: Making["asset"],
): Promise<void> {
  await asset("resource.create", {
    path: `${base}/buses.tres`,
    type: "AudioBusLayout",
    properties: {
      "bus/1/name": "Music",
      "bus/1/volume_db": -6,
      "bus/1/send": "Master",
      "bus/1/effect/0/effect": { resource: "AudioEffectReverb", properties: { wet: 0.3 } },
      "bus/1/effect/0/enabled": true,
    },
  });
  await asset("resource.create", {
    path: `${base}/sky.tres`,
    type: "Environment",
    properties: {
      background_mode: "Sky",
      sky: { resource: "Sky", properties: { sky_material: { resource: "ProceduralSkyMaterial" } } },
      glow_enabled: true,
    },
  });
  await scene("create", {
    scene: stage,
    type: "GPUParticles2D",
    name: "Sparks",
    properties: {
      amount: 30,
      process_material: {
        resource: "ParticleProcessMaterial",
        properties: {
          spread: 20,
          color_ramp: {
            resource: "GradientTexture1D",
            properties: {
              gradient: { resource: "Gradient", properties: { colors: ["red", "yellow"], offsets: [0, 1] } },
            },
          },
        },
      },
    },
  });
  await scene("create", {
    scene: stage,
    type: "NavigationRegion2D",
    name: "Walk",
    properties: {
      navigation_polygon: {
        resource: "NavigationPolygon",
        properties: {
          outlines: [
            [
              [0, 0],
              [400, 0],
              [400, 300],
              [0, 300],
            ],
          ],
        },
      },
    },
  });
}
