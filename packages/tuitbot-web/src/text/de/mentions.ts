export { mentions } from "../en/mentions.ts";
