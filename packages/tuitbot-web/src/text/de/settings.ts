export { guide, passkeys, sessions, settings, setup } from "../en/settings.ts";
