import { type RefObject, useLayoutEffect, useState } from 'react';

/** Returns the distance of the element from the top of the document, in pixels. */
export function useTopOffset(element: RefObject<HTMLElement | null>): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      if (element.current) setOffset(element.current.getBoundingClientRect().top + window.scrollY);
    };
    measure();
    // The content above the element can change its height whenever the page does.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return offset;
}
