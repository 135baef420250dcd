export { policy } from "../en/policy.ts";
