export { calendar } from "../en/calendar.ts";
