export { discovery } from "../en/discovery.ts";
