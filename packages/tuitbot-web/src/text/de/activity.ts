export { activity } from "../en/activity.ts";
