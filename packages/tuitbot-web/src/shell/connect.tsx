import type { JSX } from "preact";
import { session } from "../api/client.ts";
import { Consent } from "../views/consent/consent.tsx";
import { Gate } from "./gate.tsx";

/** The document for a client that connects: sign-in and consent, without the navigation. */
export function Connect(): JSX.Element | null {
  const here = session.value;
  if (here === undefined) return null;
  return here.signed_in ? <Consent here={here} /> : <Gate here={here} />;
}
