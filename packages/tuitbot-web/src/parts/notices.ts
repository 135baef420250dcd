import { useEffect, useRef } from "preact/hooks";
import { base } from "../api/client.ts";
import { words } from "../text/words.ts";
import { addressOf, go } from "./route.ts";
import { toast } from "./toasts.tsx";

export type NoticeState = "on" | "off" | "blocked" | "none";

/** Whether this browser notifies about new items. */
export function noticeState(): NoticeState {
  if (!("Notification" in window)) return "none";
  return ({ granted: "on", denied: "blocked", default: "off" } as const)[Notification.permission];
}

export async function turnOnNotices(): Promise<void> {
  await Notification.requestPermission();
  const isOn = noticeState() === "on";
  if (isOn) void worker();
  toast(isOn ? words.palette.notifyOn : words.palette.notifyOff);
}

/** Notifies about new items while nobody looks at the dashboard. */
export function useNotices(waiting: number | undefined): void {
  const before = useRef(waiting);
  useEffect(() => {
    if (noticeState() === "on") void worker();
  }, []);
  useEffect(() => {
    const grown = waiting !== undefined && before.current !== undefined && waiting > before.current;
    before.current = waiting;
    if (grown && document.visibilityState === "hidden" && noticeState() === "on") void notify(waiting);
  }, [waiting]);
}

async function notify(waiting: number): Promise<void> {
  const shown = await worker();
  await shown?.showNotification(words.palette.waiting(waiting), {
    tag: `tuitbot-inbox${base}`,
    icon: "/icon.svg",
    data: { path: `${base}/`, address: addressOf("inbox") },
  });
}

let registered: Promise<ServiceWorkerRegistration | undefined> | undefined;

/** The worker that shows notifications; undefined if the browser has none for this address. */
function worker(): Promise<ServiceWorkerRegistration | undefined> {
  registered ??= register();
  return registered;
}

async function register(): Promise<ServiceWorkerRegistration | undefined> {
  if (!("serviceWorker" in navigator)) return undefined;
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    if (typeof data === "string" && data.startsWith("#/")) go(data);
  });
  try {
    await navigator.serviceWorker.register(scriptAddress());
    return await navigator.serviceWorker.ready;
  } catch {
    // Some browsers allow no workers, such as in a private window.
    return undefined;
  }
}

/** The page's policy allows this one address as a script. */
function scriptAddress(): string {
  const path = "/worker.js";
  const types = (window as { readonly trustedTypes?: TrustedTypes }).trustedTypes;
  return types?.createPolicy("tuitbot-worker", { createScriptURL: () => path }).createScriptURL(path) ?? path;
}

/** The part of the browser's interface that TypeScript does not declare. */
interface TrustedTypes {
  readonly createPolicy: (
    name: string,
    rules: { readonly createScriptURL: (address: string) => string },
  ) => { readonly createScriptURL: (address: string) => string };
}
