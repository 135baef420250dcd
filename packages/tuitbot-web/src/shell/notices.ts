import { useEffect, useRef } from "preact/hooks";
import { addressOf, go } from "../parts/route.ts";
import { toast } from "../parts/toasts.tsx";
import { words } from "../text/words.ts";

/** Whether the browser can notify and was not asked yet. */
export function canNotify(): boolean {
  return "Notification" in window && Notification.permission === "default";
}

export async function turnOnNotices(): Promise<void> {
  const answer = await Notification.requestPermission();
  toast(answer === "granted" ? words.palette.notifyOn : words.palette.notifyOff);
}

/** Notifies about new items while nobody looks at the dashboard. */
export function useNotices(waiting: number | undefined): void {
  const before = useRef(waiting);
  useEffect(() => {
    const grown = waiting !== undefined && before.current !== undefined && waiting > before.current;
    before.current = waiting;
    if (!grown || document.visibilityState === "visible" || !("Notification" in window)) return;
    if (Notification.permission !== "granted") return;
    const notice = new Notification(words.palette.waiting(waiting), { tag: "tuitbot-inbox" });
    notice.onclick = () => {
      focus();
      go(addressOf("inbox"));
      notice.close();
    };
  }, [waiting]);
}
