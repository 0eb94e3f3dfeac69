import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import type { ChartPeriod, ChartSelection, ChartSeries } from '../chart.ts';
import type { Geometry } from './geometry.ts';

/** The period that is pointed at or was reached with keys. */
interface Current {
  index: number;
  seriesId: string | null;
  /** Readers of the screen are told where keys lead. */
  byKeyboard: boolean;
}

/** The periods from one to another, in either order. */
export interface Brush {
  from: number;
  to: number;
}

interface Interaction {
  periods: readonly ChartPeriod[];
  geometry: Geometry;
  /** From the top of the chart. */
  seriesIds: readonly string[];
  seriesAt: (index: number, y: number) => string | null;
  onSelect?: (selection: ChartSelection) => void;
  onBrush?: (window: ChartPeriod) => void;
}

/** A pointer that is held down. */
interface Press {
  index: number;
  x: number;
  y: number;
  /** A finger chooses what it has shown before. */
  selects: boolean;
}

/** A shorter movement is a click. */
const minDragPx = 5;

/** Pointing, choosing and dragging with mouse, finger, pen and keys. */
export function useInteraction({ periods, geometry, seriesIds, seriesAt, onSelect, onBrush }: Interaction) {
  const [current, setCurrent] = useState<Current | null>(null);
  const [brush, setBrush] = useState<Brush | null>(null);
  const press = useRef<Press | null>(null);
  // A later report can have fewer periods.
  const shown = current !== null && current.index < periods.length ? current : null;

  const moveTo = (next: Current | null) => {
    const isSame =
      shown?.index === next?.index &&
      shown?.seriesId === next?.seriesId &&
      shown?.byKeyboard === next?.byKeyboard;
    if (!isSame) setCurrent(next);
  };
  const reset = () => {
    press.current = null;
    setBrush(null);
    moveTo(null);
  };
  const select = ({ index, seriesId }: { index: number; seriesId: string | null }) => {
    const period = periods[index];
    if (period !== undefined) onSelect?.({ period, seriesId });
  };
  const apply = ({ from, to }: Brush) => {
    const [first, last] = [periods[Math.min(from, to)], periods[Math.max(from, to)]];
    reset();
    if (first !== undefined && last !== undefined) onBrush?.({ start: first.start, end: last.end });
  };

  const pointerHandlers = {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0 || !event.isPrimary) return;
      const { x, y } = positionOf(event);
      const index = geometry.indexAt(x);
      const selects = event.pointerType === 'mouse' || shown?.index === index;
      press.current = { index, x, y, selects };
      moveTo({ index, seriesId: seriesAt(index, y), byKeyboard: false });
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const { x, y } = positionOf(event);
      const isInside = x >= geometry.left && x <= geometry.right;
      // It can have been released elsewhere.
      if (event.buttons === 0) press.current = null;
      const start = press.current;
      if (start === null && !isInside) return moveTo(null);
      const index = geometry.indexAt(x);
      moveTo({ index, seriesId: seriesAt(index, y), byKeyboard: false });
      if (start === null || onBrush === undefined) return;
      if (brush === null && Math.abs(x - start.x) < minDragPx) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setBrush({ from: start.index, to: index });
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      const start = press.current;
      press.current = null;
      if (start === null) return;
      if (brush !== null) return apply(brush);
      const { x, y } = positionOf(event);
      const isClick = Math.abs(x - start.x) < minDragPx && Math.abs(y - start.y) < minDragPx;
      if (isClick && start.selects) select({ index: start.index, seriesId: seriesAt(start.index, start.y) });
    },
    // The page scrolls instead.
    onPointerCancel: reset,
    onPointerLeave(event: PointerEvent<HTMLElement>) {
      // A finger leaves when it is lifted, but what it has shown stays.
      if (event.pointerType === 'mouse' && brush === null) reset();
    },
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const last = periods.length - 1;
    const to = nextIndex(event.key, shown?.index ?? null, last);
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (to !== null) {
      const isExtending = event.shiftKey && onBrush !== undefined;
      setBrush(isExtending ? { from: brush?.from ?? shown?.index ?? to, to } : null);
      moveTo({ index: to, seriesId: isExtending ? null : (shown?.seriesId ?? null), byKeyboard: true });
    } else if ((event.key === 'ArrowUp' || event.key === 'ArrowDown') && onSelect !== undefined) {
      if (shown === null) return;
      const seriesId = nextSeries(seriesIds, shown.seriesId, event.key === 'ArrowDown' ? 1 : -1);
      moveTo({ index: shown.index, seriesId, byKeyboard: true });
    } else if (event.key === 'Enter' || event.key === ' ') {
      if (brush !== null) apply(brush);
      else if (shown !== null) select(shown);
    } else if (event.key === 'Escape' && (shown !== null || brush !== null)) {
      reset();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return { current: shown, brush, handlers: { ...pointerHandlers, onKeyDown, onBlur: reset } };
}

function positionOf({ currentTarget, clientX, clientY }: PointerEvent<HTMLElement>) {
  const { left, top } = currentTarget.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}

/** Returns `null` for other keys. */
function nextIndex(key: string, index: number | null, last: number): number | null {
  switch (key) {
    case 'ArrowLeft':
      return index === null ? last : Math.max(0, index - 1);
    case 'ArrowRight':
      return index === null ? 0 : Math.min(last, index + 1);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return null;
  }
}

/** Between the last and the first one are all series. */
function nextSeries(ids: readonly string[], id: string | null, direction: 1 | -1): string | null {
  const all = [null, ...ids];
  return all[(all.indexOf(id) + direction + all.length) % all.length] ?? null;
}

interface Announced {
  title: string;
  rows: readonly ChartSeries[];
  total: { name: string; text: string } | null;
  current: Current;
  brush: Brush | null;
}

/** The text that a screen reader speaks for the current period. */
export function announcement({ title, rows, total, current, brush }: Announced): string {
  if (brush !== null) return `Selected: ${title}. Press Enter to apply.`;
  const { index, seriesId } = current;
  const chosen = rows.find(({ id }) => id === seriesId);
  if (chosen !== undefined) return `${chosen.name}: ${chosen.texts[index]}. ${title}.`;
  const figures = rows.filter(({ values }) => (values[index] ?? 0) !== 0);
  const texts = figures.map(({ name, texts }) => `${name}: ${texts[index]}`);
  const all = total === null ? [] : [`${total.name}: ${total.text}`];
  return `${title}. ${[...all, ...texts].join(', ')}`;
}
