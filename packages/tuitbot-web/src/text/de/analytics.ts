export { analytics } from "../en/analytics.ts";
