export { autopilot } from "../en/autopilot.ts";
