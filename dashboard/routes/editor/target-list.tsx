import { Plus } from 'lucide-react';
import { type DragEvent, useEffect, useRef, useState } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { type RouteStrategy, routeBounds } from '#lambdas/routing/route.ts';
import { type EditedTarget, moved, newTarget } from './edited-route.ts';
import { TargetFields } from './target-fields.tsx';

interface TargetListProps {
  targets: readonly EditedTarget[];
  strategy: RouteStrategy;
  onChange: (targets: readonly EditedTarget[]) => void;
}

/** The targets of a route, in the order in which they are tried, which the mouse and the keyboard change. */
export function TargetList({ targets, strategy, onChange }: TargetListProps) {
  const [announcement, setAnnouncement] = useState('');
  const [dragged, setDragged] = useState<string | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  /** The position whose first field takes the focus when it is there. */
  const focusAt = useRef<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a target has been added or removed.
  useEffect(() => {
    if (focusAt.current === null) return;
    const item = list.current?.children[focusAt.current];
    (item?.querySelector<HTMLElement>('input:not([aria-hidden])') ?? addButton.current)?.focus();
    focusAt.current = null;
  }, [targets.length]);

  const move = (from: number, to: number) => {
    const order = moved(targets, from, to);
    if (order === targets) return;
    onChange(order);
    setAnnouncement(`${titleOf(targets[from])} is now target ${to + 1} of ${targets.length}`);
  };
  const add = () => {
    focusAt.current = targets.length;
    onChange([...targets, newTarget()]);
    setAnnouncement(`Target ${targets.length + 1} is added`);
  };
  const remove = (index: number) => {
    focusAt.current = Math.min(index, targets.length - 2);
    onChange(targets.toSpliced(index, 1));
    setAnnouncement(`${titleOf(targets[index])} is removed`);
  };
  const draggedIndex = targets.findIndex(({ id }) => id === dragged);
  const dragOver = (event: DragEvent, index: number) => {
    if (draggedIndex === -1) return;
    event.preventDefault();
    const { top, height } = event.currentTarget.getBoundingClientRect();
    // Not before the pointer is in the half beyond, or items of different heights would move to and fro.
    const isBeyond =
      draggedIndex < index ? event.clientY > top + height / 2 : event.clientY < top + height / 2;
    if (isBeyond) move(draggedIndex, index);
  };
  const drop = (event: DragEvent, index: number) => {
    if (draggedIndex === -1) return;
    // Firefox would open the text of the drag.
    event.preventDefault();
    move(draggedIndex, index);
  };

  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1.5 font-medium">Targets</legend>
      <p className="text-[0.8125rem] text-muted">
        In the order in which they are tried. To change it, drag a target, use its arrows, or press Alt with
        an arrow key.
      </p>
      <ol ref={list} className="flex flex-col gap-3">
        {targets.map((target, index) => (
          <li
            key={target.id}
            onDragOver={(event) => dragOver(event, index)}
            onDrop={(event) => drop(event, index)}
            // Before the field, where the keys would open its list.
            onKeyDownCapture={(event) => {
              const step = stepOf(event);
              if (step === 0) return;
              event.preventDefault();
              event.stopPropagation();
              move(index, index + step);
            }}
            className={classNames(
              'rounded-lg border border-line bg-canvas transition-opacity',
              dragged === target.id && 'opacity-50',
            )}
          >
            <TargetFields
              target={target}
              index={index}
              count={targets.length}
              strategy={strategy}
              onChange={(changes) => onChange(targets.with(index, { ...target, ...changes }))}
              onMove={(step) => move(index, index + step)}
              onRemove={() => remove(index)}
              onDragStart={() => setDragged(target.id)}
              onDragEnd={() => setDragged(null)}
            />
          </li>
        ))}
      </ol>
      {targets.length < routeBounds.targets && (
        <div>
          <Button ref={addButton} size="small" onClick={add}>
            <Plus aria-hidden />
            Add target
          </Button>
        </div>
      )}
      <p role="status" className="sr-only">
        {announcement}
      </p>
    </fieldset>
  );
}

function titleOf(target: EditedTarget | undefined): string {
  return target?.model.trim() || 'The target';
}

/** Alt with an arrow key, which alone moves within a field. */
function stepOf({ altKey, key }: { altKey: boolean; key: string }): -1 | 0 | 1 {
  if (!altKey) return 0;
  return key === 'ArrowUp' ? -1 : key === 'ArrowDown' ? 1 : 0;
}
