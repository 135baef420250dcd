import { parsePost } from "@toolpact/x-api";

/** Whether a post calls on somebody by name. Whether it quotes them, its text does not tell. */
export function callsOn(text: string, username: string): boolean {
  const name = username.toLowerCase();
  return parsePost(text).mentions.some(({ handle }) => handle.toLowerCase() === name);
}
