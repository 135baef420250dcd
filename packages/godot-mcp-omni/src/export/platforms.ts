import type { Preset } from "./presets.ts";

export type BuildKind = "release" | "debug" | "pack";

/** A platform that Godot exports for. */
export interface Platform {
  /** File extensions of a build; the first is the usual one. */
  readonly endings: readonly string[];
  /** The systems that run its builds. */
  readonly runsOn?: NodeJS.Platform;
  /** The template file that a build is made from. */
  template(preset: Preset, kind: "release" | "debug"): string;
}

/** Keyed by their names in presets. */
export const PLATFORMS: Readonly<Record<string, Platform>> = {
  Linux: {
    endings: ["x86_64", "x86_32", "arm64", "arm32", "rv64", "ppc64", "loongarch64", "bin"],
    runsOn: "linux",
    template: ({ architecture }, kind) => `linux_${kind}.${architecture}`,
  },
  "Windows Desktop": {
    endings: ["exe"],
    runsOn: "win32",
    template: ({ architecture }, kind) => `windows_${kind}_${architecture}.exe`,
  },
  macOS: { endings: ["zip", "dmg", "app"], template: () => "macos.zip" },
  Web: {
    endings: ["html"],
    template: ({ hasThreads, hasExtensions }, kind) =>
      `web_${hasExtensions ? "dlink_" : ""}${hasThreads ? "" : "nothreads_"}${kind}.zip`,
  },
  Android: {
    endings: ["apk", "aab"],
    template: ({ usesGradle }, kind) => (usesGradle ? "android_source.zip" : `android_${kind}.apk`),
  },
  iOS: { endings: ["ipa", "xcodeproj", "zip"], template: () => "ios.zip" },
  visionOS: { endings: ["ipa", "xcodeproj", "zip"], template: () => "visionos.zip" },
};

export const PACK_ENDINGS: readonly string[] = ["pck", "zip"];

export function endingsOf({ platform }: Preset, kind: BuildKind): readonly string[] {
  return kind === "pack" ? PACK_ENDINGS : (PLATFORMS[platform]?.endings ?? []);
}
