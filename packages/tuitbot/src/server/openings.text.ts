import { handshakeOf } from "@toolpact/contract/preload";
import { isWorkflowProfile, type Profile } from "../profiles.ts";
import { everydayList } from "./everyday.ts";
import { shortSurface } from "./short-surface.ts";
import { surfaceFor } from "./surface.ts";

// What a server of each usual profile says first (`admin` is for few, and its lists are as long as all others), as text that is written out when tuitbot is built: a line with everything but
// the tools, and behind it the list of tools as it goes to the client.

export const readonly = () => openingText("readonly");
export const apiReadonly = () => openingText("api-readonly");
export const write = () => openingText("write");
export const utilityReadonly = () => openingText("utility-readonly");
export const utilityWrite = () => openingText("utility-write");
export const writeEveryday = () => openingText("write", everydayList);

function openingText(profile: Profile, listed?: readonly string[]): string {
  const whole = surfaceFor(profile);
  const { tools, ...rest } = handshakeOf(
    listed === undefined ? whole : shortSurface(whole, (name) => listed.includes(name)),
    { toolsChange: listed !== undefined, hasTasks: isWorkflowProfile(profile) },
  );
  return `${JSON.stringify(rest)}\n${tools}`;
}
