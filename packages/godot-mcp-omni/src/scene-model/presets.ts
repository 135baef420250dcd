import type { Json, JsonObject } from "@toolpact/contract";

/** A ready-made node or resource: `preset:fire_2d` can replace a class name. */
export interface Preset {
  readonly about: string;
  readonly type: string;
  readonly properties?: JsonObject;
  readonly children?: readonly Pick<Preset, "type" | "properties">[];
}

const of = (resource: string, properties: JsonObject = {}): JsonObject => ({ resource, properties });

const gradient = (colors: readonly Json[]): JsonObject =>
  of("Gradient", { colors, offsets: colors.map((_, index) => index / (colors.length - 1)) });

/** A soft white disc. */
const disc = (size: number): JsonObject =>
  of("GradientTexture2D", {
    gradient: gradient([
      [1, 1, 1, 1],
      [1, 1, 1, 0],
    ]),
    width: size,
    height: size,
    fill: 1,
    fill_from: [0.5, 0.5],
    fill_to: [0.5, 0],
  });

interface Particles {
  readonly about: string;
  readonly amount: number;
  readonly lifetime: number;
  /** Colors over the life of a particle. */
  readonly colors: readonly Json[];
  /** Lighter where particles overlap. */
  readonly glows?: boolean;
  /** Values of the ParticleProcessMaterial. */
  readonly process: JsonObject;
  /** Additional values of the node. */
  readonly more?: JsonObject;
}

function motion({ colors, process }: Particles): JsonObject {
  const ramp = of("GradientTexture1D", { gradient: gradient(colors) });
  return of("ParticleProcessMaterial", { ...process, color_ramp: ramp });
}

function particles2d(given: Particles): Preset {
  const { about, amount, lifetime, glows = false, more = {} } = given;
  return {
    about,
    type: "GPUParticles2D",
    properties: {
      amount,
      lifetime,
      texture: disc(16),
      process_material: motion(given),
      ...(glows && { material: of("CanvasItemMaterial", { blend_mode: 1 }) }),
      ...more,
    },
  };
}

function particles3d(given: Particles): Preset {
  const { about, amount, lifetime, glows = false, more = {} } = given;
  const material = of("StandardMaterial3D", {
    transparency: 1,
    shading_mode: 0,
    billboard_mode: 3,
    vertex_color_use_as_albedo: true,
    albedo_texture: disc(64),
    ...(glows && { blend_mode: 1 }),
  });
  return {
    about,
    type: "GPUParticles3D",
    properties: {
      amount,
      lifetime,
      process_material: motion(given),
      draw_pass_1: of("QuadMesh", { size: [0.3, 0.3], material }),
      ...more,
    },
  };
}

const FLAMES = ["#ffe08a", "#ff8a1e", "#c8321400"];
const SMOKE = ["#80808000", "#80808090", "#60606000"];
const SPARKS = ["#fff4c0", "#ffb030", "#ff600000"];
const BURST = { one_shot: true, explosiveness: 1 };

const environments = {
  day: {
    about: "blue sky, light from the sky, filmic colors",
    properties: {
      background_mode: 2,
      sky: of("Sky", { sky_material: of("ProceduralSkyMaterial") }),
      ambient_light_source: 3,
      tonemap_mode: 2,
    },
  },
  night: {
    about: "dark sky, little light, glow",
    properties: {
      background_mode: 2,
      sky: of("Sky", {
        sky_material: of("ProceduralSkyMaterial", {
          sky_top_color: "#04060f",
          sky_horizon_color: "#121a30",
          ground_bottom_color: "#020308",
          ground_horizon_color: "#121a30",
        }),
      }),
      ambient_light_source: 3,
      ambient_light_energy: 0.4,
      tonemap_mode: 2,
      glow_enabled: true,
    },
  },
  indoor: {
    about: "no sky, even warm light",
    properties: {
      background_mode: 1,
      background_color: "#101014",
      ambient_light_source: 2,
      ambient_light_color: "#ffeedd",
      ambient_light_energy: 0.3,
      tonemap_mode: 2,
    },
  },
  fog: {
    about: "gray sky and fog",
    properties: {
      background_mode: 1,
      background_color: "#9aa4ad",
      ambient_light_source: 2,
      ambient_light_color: "#9aa4ad",
      ambient_light_energy: 0.6,
      fog_enabled: true,
      fog_light_color: "#9aa4ad",
      fog_density: 0.03,
    },
  },
} as const satisfies Record<string, { about: string; properties: JsonObject }>;

const material = (about: string, properties: JsonObject): Preset => ({
  about,
  type: "StandardMaterial3D",
  properties,
});

export const PRESETS: Readonly<Record<string, Preset>> = {
  fire_2d: particles2d({
    about: "flames that rise",
    amount: 40,
    lifetime: 0.8,
    colors: FLAMES,
    glows: true,
    process: {
      emission_shape: 1,
      emission_sphere_radius: 8,
      direction: [0, -1, 0],
      spread: 15,
      initial_velocity_min: 40,
      initial_velocity_max: 80,
      gravity: [0, -60, 0],
      scale_min: 0.6,
      scale_max: 1.4,
    },
  }),
  smoke_2d: particles2d({
    about: "gray clouds that rise",
    amount: 24,
    lifetime: 2.5,
    colors: SMOKE,
    process: {
      direction: [0, -1, 0],
      spread: 20,
      initial_velocity_min: 15,
      initial_velocity_max: 30,
      gravity: [0, -10, 0],
      scale_min: 1.5,
      scale_max: 3,
    },
  }),
  explosion_2d: particles2d({
    about: "one burst; emitting = true starts it again",
    amount: 60,
    lifetime: 0.7,
    colors: SPARKS,
    glows: true,
    more: BURST,
    process: {
      direction: [0, 0, 0],
      spread: 180,
      initial_velocity_min: 80,
      initial_velocity_max: 220,
      gravity: [0, 120, 0],
      damping_min: 40,
      damping_max: 80,
      scale_min: 0.4,
      scale_max: 1,
    },
  }),
  rain_2d: particles2d({
    about: "drops over the width of the window; place it above",
    amount: 200,
    lifetime: 1.2,
    colors: ["#9ec4ff90", "#9ec4ff60"],
    more: { preprocess: 1.2 },
    process: {
      emission_shape: 3,
      emission_box_extents: [640, 1, 1],
      direction: [0.05, 1, 0],
      spread: 1,
      initial_velocity_min: 600,
      initial_velocity_max: 700,
      gravity: [0, 0, 0],
      scale_min: 0.15,
      scale_max: 0.25,
    },
  }),
  fire_3d: particles3d({
    about: "flames that rise",
    amount: 60,
    lifetime: 1,
    colors: FLAMES,
    glows: true,
    process: {
      emission_shape: 1,
      emission_sphere_radius: 0.2,
      direction: [0, 1, 0],
      spread: 10,
      initial_velocity_min: 0.8,
      initial_velocity_max: 1.6,
      gravity: [0, 1, 0],
    },
  }),
  smoke_3d: particles3d({
    about: "gray clouds that rise",
    amount: 30,
    lifetime: 3,
    colors: SMOKE,
    process: {
      direction: [0, 1, 0],
      spread: 15,
      initial_velocity_min: 0.3,
      initial_velocity_max: 0.6,
      gravity: [0, 0.3, 0],
      scale_min: 2,
      scale_max: 4,
    },
  }),
  explosion_3d: particles3d({
    about: "one burst; emitting = true starts it again",
    amount: 80,
    lifetime: 0.8,
    colors: SPARKS,
    glows: true,
    more: BURST,
    process: {
      spread: 180,
      initial_velocity_min: 2,
      initial_velocity_max: 6,
      gravity: [0, -4, 0],
      scale_min: 0.3,
      scale_max: 0.8,
    },
  }),

  camera_follow_2d: {
    about: "follows its parent smoothly",
    type: "Camera2D",
    properties: { position_smoothing_enabled: true, position_smoothing_speed: 6 },
  },
  camera_first_person: {
    about: "at the height of the eyes",
    type: "Camera3D",
    properties: { position: [0, 1.6, 0], fov: 80 },
  },
  camera_third_person: {
    about: "behind its parent, on an arm that gets shorter at walls",
    type: "SpringArm3D",
    properties: { position: [0, 1.6, 0], rotation_degrees: [-15, 0, 0], spring_length: 4 },
    children: [{ type: "Camera3D" }],
  },
  camera_top_down: {
    about: "12 m above, looking down",
    type: "Camera3D",
    properties: { position: [0, 12, 0], rotation_degrees: [-90, 0, 0] },
  },

  sun: {
    about: "light from above with shadows",
    type: "DirectionalLight3D",
    properties: { rotation_degrees: [-50, -30, 0], shadow_enabled: true },
  },
  moon: {
    about: "weak blue light with shadows",
    type: "DirectionalLight3D",
    properties: {
      rotation_degrees: [-60, 40, 0],
      light_color: "#a8c0ff",
      light_energy: 0.25,
      shadow_enabled: true,
    },
  },
  lamp_3d: {
    about: "warm light in all directions",
    type: "OmniLight3D",
    properties: { light_color: "#ffd9a0", omni_range: 6, shadow_enabled: true },
  },
  spotlight_3d: {
    about: "a cone of light",
    type: "SpotLight3D",
    properties: { spot_range: 10, spot_angle: 30, light_energy: 2, shadow_enabled: true },
  },
  lamp_2d: {
    about: "round light of 256 pixels; darkness_2d makes it visible",
    type: "PointLight2D",
    properties: { texture: disc(256), color: "#ffd9a0" },
  },
  darkness_2d: { about: "darkens the scene", type: "CanvasModulate", properties: { color: "#30304a" } },

  ...Object.fromEntries(
    Object.entries(environments).flatMap(([name, { about, properties }]): [string, Preset][] => [
      [
        `world_${name}`,
        {
          about,
          type: "WorldEnvironment",
          properties: { environment: of("Environment", properties) },
        },
      ],
      [`environment_${name}`, { about, type: "Environment", properties }],
    ]),
  ),

  metal: material("steel", { albedo_color: "#b8bcc4", metallic: 1, roughness: 0.3 }),
  gold: material("polished gold", { albedo_color: "#ffcf5c", metallic: 1, roughness: 0.2 }),
  wood: material("brown wood", { albedo_color: "#8a5a33", roughness: 0.8 }),
  stone: material("gray stone", { albedo_color: "#80807c", roughness: 0.95 }),
  plastic: material("red plastic", { albedo_color: "#d83a3a", roughness: 0.4 }),
  glass: material("clear glass", { transparency: 1, albedo_color: "#d0e8ff40", roughness: 0.05 }),
  water: material("still water", { transparency: 1, albedo_color: "#1a6690b0", roughness: 0.05 }),
  glowing: material("shines by itself", {
    albedo_color: "#7fe0ff",
    emission_enabled: true,
    emission: "#7fe0ff",
    emission_energy_multiplier: 3,
  }),
  toon: material("even colors with hard edges", { diffuse_mode: 3, specular_mode: 1 }),

  physics_ice: { about: "slides", type: "PhysicsMaterial", properties: { friction: 0.02 } },
  physics_bouncy: { about: "bounces", type: "PhysicsMaterial", properties: { bounce: 0.9 } },

  audio_buses: {
    about: "Music, Effects and Voice; as res://default_bus_layout.tres the game uses it",
    type: "AudioBusLayout",
    properties: Object.fromEntries(
      ["Music", "Effects", "Voice"].flatMap((name, index) => [
        [`bus/${index + 1}/name`, name],
        [`bus/${index + 1}/send`, "Master"],
      ]),
    ),
  },
};

export const presetForms: readonly string[] = Object.entries(PRESETS).map(
  ([name, { type, about }]) => `preset:${name} ${type}: ${about}`,
);
