import { once } from "@toolpact/contract";
import { errors } from "../errors.ts";

/** Godot's classes for the files driver, generated from the engine by scripts/generate-class-table.ts. */
export interface ClassTable {
  readonly version: string;
  readonly names: readonly string[];
  readonly has: (name: string) => boolean;
  /** Whether the class can be instantiated. */
  readonly canMake: (name: string) => boolean;
  /** A class is its own ancestor. */
  readonly inherits: (name: string, ancestor: string) => boolean;
  readonly heirs: (name: string) => readonly string[];
  /** Own and inherited. */
  readonly properties: (name: string) => ReadonlyMap<string, ClassProperty>;
  readonly signals: (name: string) => readonly string[];
  /** A project setting by its name; a feature suffix such as `.mobile` is ignored. */
  readonly setting: (name: string) => ClassProperty | undefined;
  readonly settings: readonly string[];
  /** Key codes by name. */
  readonly keys: ReadonlyMap<string, number>;
}

export interface ClassProperty {
  readonly name: string;
  /** `Vector2`, `Array[NodePath]`, a class, or several classes separated by commas. */
  readonly type: string;
  /** A type that only Godot can resolve: an enum or class of a script. */
  readonly unread?: string | undefined;
  /** Labels of an enum's numbers. */
  readonly choices: ReadonlyMap<string, number> | undefined;
  /** Labels of the bits of a flags number; layers have none. */
  readonly flags?: ReadonlyMap<string, number>;
  readonly readOnly: boolean;
  /** The minimum of its class. */
  readonly least?: number;
  /** Its class raises a lower number to the minimum instead of refusing it. */
  readonly raises?: boolean;
  /** Other properties determine whether Godot stores it. */
  readonly conditional?: boolean;
  /** False for a property that Godot stores in another, such as a 3D node's position in its transform. */
  readonly stored: boolean;
  /** In Godot's text; undefined for the zero value of its type. */
  readonly default: string | undefined;
  readonly from: string;
}

interface Row {
  readonly parent: string;
  readonly abstract?: boolean;
  readonly properties?: Readonly<Record<string, string>>;
  readonly defaults?: Readonly<Record<string, string>>;
  readonly signals?: readonly string[];
  /** Inherited properties that it stores only under conditions. */
  readonly hidden?: readonly string[];
}

interface Table {
  readonly version: string;
  readonly classes: Readonly<Record<string, Row>>;
  readonly settings: Readonly<Record<string, string>>;
  readonly keys: Readonly<Record<string, number>>;
}

/** Loaded on first use: most servers have an engine and do not need it. */
export const loadClassTable = once(async () => {
  const module = await import("./generated/class-table.json", { with: { type: "json" } });
  // The generator writes this shape; the compiler would infer a type per class from the file.
  return classTable(module.default as unknown as Table);
});

function classTable({ version, classes, settings, keys }: Table): ClassTable {
  const names = Object.keys(classes);
  const merged = new Map<string, ReadonlyMap<string, ClassProperty>>();

  function* lineage(name: string): Generator<[string, Row]> {
    for (let at = name, row = classes[at]; row !== undefined; at = row.parent, row = classes[at])
      yield [at, row];
  }

  function properties(name: string): ReadonlyMap<string, ClassProperty> {
    const known = merged.get(name);
    if (known !== undefined) return known;
    const row = classes[name];
    const all = new Map(row === undefined ? [] : properties(row.parent));
    for (const [key, text] of Object.entries(row?.properties ?? {})) all.set(key, property(key, text, name));
    for (const [key, value] of Object.entries(row?.defaults ?? {})) {
      const found = all.get(key);
      if (found !== undefined) all.set(key, { ...found, default: value });
    }
    for (const key of row?.hidden ?? []) {
      const found = all.get(key);
      if (found !== undefined) all.set(key, { ...found, conditional: true });
    }
    merged.set(name, all);
    return all;
  }

  const inherits = (name: string, ancestor: string) => {
    for (const [at] of lineage(name)) if (at === ancestor) return true;
    return false;
  };
  return {
    version,
    names,
    has: (name) => Object.hasOwn(classes, name),
    canMake: (name) => Object.hasOwn(classes, name) && classes[name]?.abstract !== true,
    inherits,
    heirs: (name) => names.filter((heir) => heir !== name && inherits(heir, name)),
    properties,
    signals: (name) => [...lineage(name)].flatMap(([, row]) => row.signals ?? []),
    settings: Object.keys(settings),
    setting(name) {
      const known = Object.hasOwn(settings, name) ? name : name.replace(/\.\w+$/, "");
      const text = Object.hasOwn(settings, known) ? settings[known] : undefined;
      if (text === undefined) return undefined;
      const [, type = "", standard] = /^([^=<]*(?:<.*>)?)(?:=(.*))?$/s.exec(text) ?? [];
      return { ...property(name, type, "ProjectSettings"), default: standard };
    },
    keys: new Map(Object.entries(keys)),
  };
}

export function abstractClass(classes: ClassTable, name: string) {
  return errors.fail("E_SCHEMA_VALIDATION", `${name} is abstract: name one of the classes that inherit it.`, {
    details: { inheritors: classes.heirs(name).slice(0, 12) },
  });
}

/** `~int<Off,On:4>`, `int|<Fill:1>`, `^0.5float`: see `_property` in class-table.gd. */
function property(name: string, text: string, from: string): ClassProperty {
  const [, marks = "", limit, least, type = "", labels] =
    /^([!~?]*)(?:([\^>])([\d.]+))?([^<]*)(?:<(.*)>)?$/s.exec(text) ?? [];
  const isFlags = type.endsWith("|");
  return {
    name,
    type: type.replace("|", ""),
    // The labels of some enums are known only from an object.
    choices: !labels || isFlags ? undefined : choicesOf(labels),
    ...(isFlags && { flags: flagsOf(labels ?? "") }),
    readOnly: marks.includes("!"),
    stored: !marks.includes("~"),
    ...(least !== undefined && { least: Number(least), raises: limit === ">" }),
    ...(marks.includes("?") && { conditional: true }),
    default: undefined,
    from,
  };
}

/** A label without a number is the next bit. */
function flagsOf(labels: string): ReadonlyMap<string, number> {
  const named = labels.split(",").filter((label) => label !== "");
  return new Map(
    named.map((label, index) => {
      const [name = "", number] = label.split(":");
      return [name.trim(), number === undefined ? 1 << index : Number(number)];
    }),
  );
}

/** A label without a number follows the previous one. */
function choicesOf(labels: string): ReadonlyMap<string, number> {
  const choices = new Map<string, number>();
  let next = 0;
  for (const label of labels.split(",")) {
    const [name = "", number] = label.split(":");
    if (number !== undefined) next = Number(number);
    choices.set(name.trim(), next++);
  }
  return choices;
}
