export { inbox } from "../en/inbox.ts";
