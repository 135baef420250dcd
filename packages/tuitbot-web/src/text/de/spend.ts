export { spend } from "../en/spend.ts";
