import type { Surface } from "@toolpact/contract";
import type { Profile } from "../../profiles.ts";

/** The surface of a profile; in a built package it is plain JSON, made when it was built. */
export async function loadSurface(profile: Profile): Promise<Surface> {
  return (await surfaces[profile]()).surface;
}

const surfaces: Readonly<Record<Profile, () => Promise<{ readonly surface: Surface }>>> = {
  readonly: () => import("./readonly.prebuilt.ts"),
  "api-readonly": () => import("./api-readonly.prebuilt.ts"),
  write: () => import("./write.prebuilt.ts"),
  admin: () => import("./admin.prebuilt.ts"),
  "utility-readonly": () => import("./utility-readonly.prebuilt.ts"),
  "utility-write": () => import("./utility-write.prebuilt.ts"),
};
