import type { Surface } from "@toolpact/contract/internal";
import type { Profile } from "../profiles.ts";

/** Returns the surface of a profile, or its part with the selected tools. */
export async function loadSurface(profile: Profile, selected?: readonly string[]): Promise<Surface> {
  const { prebuilt } = await import("./prebuilt.ts");
  const whole = prebuilt[profile]();
  if (selected === undefined) return whole;
  const { narrowSurface } = await import("./narrow-surface.ts");
  return narrowSurface(whole, profile, selected, prebuilt.toolNames());
}
