import { expect, test } from "vitest";
import { usualPlaces } from "./usual-places.ts";

/** Folders and entries as named by installers and archives, according to their documentation. */
const WINDOWS = {
  "C:\\Users\\ada\\Downloads": [
    "Godot_v4.2.1-stable_win64.exe",
    "Godot_v4.10-stable_win64.exe",
    "Godot_v4.10-stable_win64_console.exe",
    "Godot_v3.5.2-stable_win64.exe",
    "Godot_v4.6.3-stable_mono_win64",
    "Godot_v4.6.3-stable_mono_win64.zip",
    "holiday.png",
  ],
  "C:\\Users\\ada\\Downloads\\Godot_v4.6.3-stable_mono_win64": [
    "GodotSharp",
    "Godot_v4.6.3-stable_mono_win64.exe",
    "Godot_v4.6.3-stable_mono_win64_console.exe",
  ],
  "C:\\Users\\ada\\scoop\\apps\\godot\\current": ["godot.exe", "godot.console.exe", "manifest.json"],
  "C:\\Users\\ada\\AppData\\Local\\Microsoft\\WinGet\\Links": ["godot.exe", "godot_console.exe", "rg.exe"],
  "C:\\Program Files (x86)\\Steam\\steamapps\\common\\Godot Engine": ["godot.windows.opt.tools.64.exe"],
  "C:\\Users\\ada\\AppData\\Roaming\\itch\\apps\\godot": ["Godot_v4.4-stable_win64.exe"],
};

const MAC = {
  "/Applications": ["Godot.app", "Godot_mono.app", "Godot 4.6.app", "Safari.app"],
  "/opt/homebrew/bin": ["godot", "git"],
  "/Users/ada/Library/Application Support/Steam/steamapps/common/Godot Engine": ["Godot.app"],
};

const LINUX = {
  "/home/ada/Downloads": ["Godot_v4.6.3-stable_linux.x86_64", "Godot_v4.6.3-stable_mono_linux_x86_64"],
  "/home/ada/Downloads/Godot_v4.6.3-stable_mono_linux_x86_64": ["Godot_v4.6.3-stable_mono_linux.x86_64"],
  "/home/ada/.local/share/Steam/steamapps/common/Godot Engine": ["godot.x11.opt.tools.64"],
  "/var/lib/flatpak/exports/bin": ["org.godotengine.Godot", "org.gimp.GIMP"],
};

const listOf = (disk: Readonly<Record<string, readonly string[]>>) => (folder: string) => disk[folder] ?? [];

test("Godot is found where scoop, winget, Steam, itch and archives put it on Windows", () => {
  const env = { USERPROFILE: "C:\\Users\\ada" };
  expect(usualPlaces(env, "win32", listOf(WINDOWS))).toEqual([
    "C:\\Program Files (x86)\\Steam\\steamapps\\common\\Godot Engine\\godot.windows.opt.tools.64.exe",
    "C:\\Users\\ada\\scoop\\apps\\godot\\current\\godot.exe",
    "C:\\Users\\ada\\AppData\\Local\\Microsoft\\WinGet\\Links\\godot_console.exe",
    "C:\\Users\\ada\\AppData\\Local\\Microsoft\\WinGet\\Links\\godot.exe",
    "C:\\Users\\ada\\AppData\\Roaming\\itch\\apps\\godot\\Godot_v4.4-stable_win64.exe",
    "C:\\Users\\ada\\Downloads\\Godot_v4.10-stable_win64_console.exe",
    "C:\\Users\\ada\\Downloads\\Godot_v4.10-stable_win64.exe",
    "C:\\Users\\ada\\Downloads\\Godot_v4.6.3-stable_mono_win64\\Godot_v4.6.3-stable_mono_win64_console.exe",
    "C:\\Users\\ada\\Downloads\\Godot_v4.6.3-stable_mono_win64\\Godot_v4.6.3-stable_mono_win64.exe",
    "C:\\Users\\ada\\Downloads\\Godot_v4.2.1-stable_win64.exe",
  ]);
});

test("Godot is found in bundles, Homebrew and Steam on macOS", () => {
  const found = usualPlaces({ HOME: "/Users/ada" }, "darwin", listOf(MAC));
  expect(new Set(found)).toEqual(
    new Set([
      "/Applications/Godot.app/Contents/MacOS/Godot",
      "/Applications/Godot_mono.app/Contents/MacOS/Godot",
      "/Applications/Godot 4.6.app/Contents/MacOS/Godot",
      "/opt/homebrew/bin/godot",
      "/Users/ada/Library/Application Support/Steam/steamapps/common/Godot Engine/Godot.app/Contents/MacOS/Godot",
    ]),
  );
});

test("Godot is found in downloads, Steam and Flatpak on Linux, after the one that get-godot fetched", () => {
  const [fetched, ...found] = usualPlaces({ HOME: "/home/ada" }, "linux", listOf(LINUX));
  expect(fetched).toContain("godot/root/usr/bin/godot");
  expect(found).toEqual([
    "/var/lib/flatpak/exports/bin/org.godotengine.Godot",
    "/home/ada/.local/share/Steam/steamapps/common/Godot Engine/godot.x11.opt.tools.64",
    "/home/ada/Downloads/Godot_v4.6.3-stable_mono_linux_x86_64/Godot_v4.6.3-stable_mono_linux.x86_64",
    "/home/ada/Downloads/Godot_v4.6.3-stable_linux.x86_64",
  ]);
});
