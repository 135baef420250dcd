export { Secret } from "./secret.ts";
