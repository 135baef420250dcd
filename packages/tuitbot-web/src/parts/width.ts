import type { Ref } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** The width of an element in pixels, as it is now. */
export function useWidth(): readonly [Ref<HTMLDivElement>, number] {
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
