import { computed, signal } from "@preact/signals";

type Theme = "light" | "dark";

const STORED = "tuitbot-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(system.matches);
system.addEventListener("change", ({ matches }) => {
  systemIsDark.value = matches;
});

/** The user's choice; undefined to follow the system. */
const chosen = signal<Theme | undefined>(storedTheme());

export const isDark = computed(() => (chosen.value ?? (systemIsDark.value ? "dark" : "light")) === "dark");

export function toggleTheme(): void {
  chosen.value = isDark.value ? "light" : "dark";
  try {
    localStorage.setItem(STORED, chosen.value);
  } catch {
    // The browser stores nothing for this page, so the choice lasts until it is closed.
  }
  applyTheme();
}

export function applyTheme(): void {
  if (chosen.value !== undefined) document.documentElement.dataset.theme = chosen.value;
}

function storedTheme(): Theme | undefined {
  try {
    const stored = localStorage.getItem(STORED);
    return stored === "light" || stored === "dark" ? stored : undefined;
  } catch {
    return undefined;
  }
}
