export { keys, palette, shell, signIn, stop } from "../en/shell.ts";
