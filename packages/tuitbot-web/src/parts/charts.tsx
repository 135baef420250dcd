import type { JSX, Ref } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

/** One value of a chart, and how it is called where it is read out. */
export interface Point {
  readonly label: string;
  /** Null where it is not known: nothing is drawn there. */
  readonly value: number | null;
}

interface Props {
  readonly points: readonly Point[];
  readonly format: (value: number) => string;
  readonly label: string;
  /** A value that must not be passed, such as a cap. */
  readonly bound?: { readonly value: number; readonly label: string } | undefined;
  readonly height?: number;
}

/** Width of the labels next to the bars, in pixels. */
const LABEL_WIDTH = 42;
const PAD = { left: 8, right: 8, top: 26, bottom: 26 };

/** Values over time as a line above zero, with the last one named. */
export function LineChart({ points, format, label, height = 220 }: Props): JSX.Element {
  const known = points.flatMap(({ value }) => (value === null ? [] : [value]));
  const high = Math.max(...known, 1);
  const scale = scaleOf(0, high * 1.08, height);
  const [ref, width] = useWidth();
  const x = (index: number) =>
    PAD.left + ((width - PAD.left - PAD.right) * index) / Math.max(1, points.length - 1);
  const gradient = useId();
  const segments = segmentsOf(points);
  const lastIndex = points.findLastIndex(({ value }) => value !== null);
  const last = points[lastIndex]?.value ?? null;
  return (
    <Frame
      box={ref}
      width={width}
      points={points}
      format={format}
      label={label}
      height={height}
      x={x}
      y={(value) => scale(value)}
    >
      <defs>
        <linearGradient id={gradient} x1="0" x2="0" y1="0" y2="1">
          <stop class="area-top" offset="0" />
          <stop class="area-bottom" offset="1" />
        </linearGradient>
      </defs>
      {segments.map((segment) => {
        const path = segment.map(({ index, value }) => `${x(index)},${scale(value)}`).join("L");
        const [first] = segment;
        const end = segment.at(-1);
        return (
          <g key={first?.index}>
            <path
              class="area"
              fill={`url(#${gradient})`}
              d={`M${path}L${x(end?.index ?? 0)},${height - PAD.bottom}L${x(first?.index ?? 0)},${height - PAD.bottom}Z`}
            />
            <path class="line" d={`M${path}`} />
          </g>
        );
      })}
      <Grid width={width} high={high} y={scale} format={format} />
      {last !== null && (
        <>
          <circle class="end" cx={x(lastIndex)} cy={scale(last)} r="4" />
          <text class="direct" x={x(lastIndex) - 8} y={scale(last) - 11} text-anchor="end">
            {format(last)}
          </text>
        </>
      )}
    </Frame>
  );
}

/** Values of days as bars, against a bound where there is one. */
export function BarChart({ points, format, label, bound, height = 200 }: Props): JSX.Element {
  const most = Math.max(...points.map(({ value }) => value ?? 0), 0);
  // A bound far above all values would flatten them; then it is said in words only.
  const showsBound = bound !== undefined && bound.value <= most * 3 && bound.value > 0;
  const high = Math.max(most, showsBound ? bound.value : 0) * 1.08 || 1;
  const scale = scaleOf(0, high, height);
  const [ref, width] = useWidth();
  const left = PAD.left + LABEL_WIDTH;
  const step = (width - left - PAD.right) / Math.max(1, points.length);
  const thick = Math.max(2, Math.min(34, step * 0.62));
  const x = (index: number) => left + step * (index + 0.5);
  const floor = height - PAD.bottom;
  const peak = points.findIndex(({ value }) => value === most);
  return (
    <Frame
      box={ref}
      width={width}
      points={points}
      format={format}
      label={label}
      height={height}
      x={x}
      y={(value) => scale(value)}
    >
      <Grid width={width} high={most} y={scale} format={format} />
      {points.map(({ label: name, value }, index) => {
        const top = scale(value ?? 0);
        return value === null || value === 0 ? (
          <rect key={name} class="bar none" x={x(index) - thick / 2} y={floor - 2} width={thick} height={2} />
        ) : (
          <rect
            key={name}
            class={bound !== undefined && value >= bound.value ? "bar over" : "bar"}
            x={x(index) - thick / 2}
            y={Math.min(top, floor - 2)}
            width={thick}
            height={Math.max(2, floor - top)}
            rx={Math.min(4, thick / 2)}
          />
        );
      })}
      {most > 0 && (
        <text
          class="direct"
          // Labels near the edge are aligned to it.
          x={x(peak) > width - LABEL_WIDTH ? width - PAD.right : x(peak)}
          y={scale(most) - 7}
          text-anchor={x(peak) > width - LABEL_WIDTH ? "end" : "middle"}
        >
          {format(most)}
        </text>
      )}
      {showsBound && (
        <>
          <line
            class="bound"
            x1={PAD.left}
            x2={width - PAD.right}
            y1={scale(bound.value)}
            y2={scale(bound.value)}
          />
          <text class="bound-label" x={PAD.left} y={scale(bound.value) - 6}>
            {bound.label}
          </text>
        </>
      )}
    </Frame>
  );
}

interface FrameProps {
  readonly box: Ref<HTMLDivElement>;
  readonly width: number;
  readonly points: readonly Point[];
  readonly format: (value: number) => string;
  readonly label: string;
  readonly height: number;
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
  readonly children: JSX.Element | (JSX.Element | JSX.Element[] | false | null | undefined)[];
}

/** The drawing, and the value under the pointer or at the place that the arrow keys have reached. */
function Frame({ box, width, points, format, label, height, x, y, children }: FrameProps): JSX.Element {
  const [at, setAt] = useState<number>();
  const point = at === undefined ? undefined : points[at];
  const nearest = (event: PointerEvent & { currentTarget: SVGSVGElement }) => {
    const place = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const distances = points.map((_, index) => Math.abs(x(index) - place));
    setAt(distances.indexOf(Math.min(...distances)));
  };
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setAt(
      Math.min(points.length - 1, Math.max(0, (at ?? points.length - 1) + (at === undefined ? 0 : step))),
    );
  };
  const text =
    point === undefined ? "" : `${point.label}: ${point.value === null ? "—" : format(point.value)}`;
  return (
    <div class="chart" ref={box}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        height={height}
        role="img"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read the values out
        tabIndex={0}
        onPointerMove={nearest}
        onPointerLeave={() => setAt(undefined)}
        onBlur={() => setAt(undefined)}
        onKeyDown={keys}
      >
        {children}
        {ticksOf(points.length, width).map((index) => (
          <text
            key={index}
            class="axis"
            x={Math.max(PAD.left, Math.min(width - PAD.right, x(index)))}
            y={height - 7}
            text-anchor={x(index) < TICK_PX / 2 ? "start" : x(index) > width - TICK_PX / 2 ? "end" : "middle"}
          >
            {points[index]?.label}
          </text>
        ))}
        {at !== undefined && point !== undefined && (
          <g class="cursor">
            <line x1={x(at)} x2={x(at)} y1={PAD.top - 8} y2={height - PAD.bottom} />
            {point.value !== null && <circle cx={x(at)} cy={y(point.value)} r="4.5" />}
          </g>
        )}
      </svg>
      <p class="readout num" aria-live="polite">
        {text}
      </p>
    </div>
  );
}

/** The room that the label of a day needs, in pixels. */
const TICK_PX = 76;

/** The points whose labels are shown: the last one, and earlier ones in equal steps as far as there is room. */
function ticksOf(points: number, width: number): readonly number[] {
  const step = Math.max(1, Math.ceil(points / Math.max(1, Math.floor(width / TICK_PX))));
  return Array.from({ length: Math.ceil(points / step) }, (_, index) => points - 1 - index * step).reverse();
}

function Grid({
  width,
  high,
  y,
  format,
}: {
  readonly width: number;
  readonly high: number;
  readonly y: (value: number) => number;
  readonly format: (value: number) => string;
}): JSX.Element {
  const values = [0, high / 2, high];
  return (
    <g class="grid">
      {values.map((value) => (
        <g key={value}>
          <line x1={PAD.left} x2={width - PAD.right} y1={y(value)} y2={y(value)} />
          {value !== high && (
            <text x={PAD.left} y={y(value) - 5}>
              {value === 0 ? "" : format(value)}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}

function scaleOf(low: number, high: number, height: number): (value: number) => number {
  const span = high - low || 1;
  const room = height - PAD.top - PAD.bottom;
  return (value) => PAD.top + room * (1 - (value - low) / span);
}

interface Placed {
  readonly index: number;
  readonly value: number;
}

/** Stretches without a gap: a line over unknown days would invent values. */
function segmentsOf(points: readonly Point[]): readonly (readonly Placed[])[] {
  const segments: Placed[][] = [];
  let open: Placed[] | undefined;
  for (const [index, { value }] of points.entries()) {
    if (value === null) {
      open = undefined;
      continue;
    }
    if (open === undefined) {
      open = [];
      segments.push(open);
    }
    open.push({ index, value });
  }
  return segments;
}

/** The width of an element in pixels, as it is now. */
function useWidth(): readonly [Ref<HTMLDivElement>, number] {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(720);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = () => setWidth(Math.max(200, element.clientWidth));
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    return () => resized.disconnect();
  }, []);
  return [ref, width];
}
