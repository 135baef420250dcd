export { general, problems, roles, views } from "../en/general.ts";
