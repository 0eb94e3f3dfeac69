import { ArrowDown, ArrowUp, GripVertical, Trash2 } from 'lucide-react';
import { type DragEvent, useState } from 'react';
import { IconButton, LinkButton } from '#dashboard/components/button.tsx';
import { TextAreaField } from '#dashboard/components/forms/text-area-field.tsx';
import { TextField } from '#dashboard/components/forms/text-field.tsx';
import { defaultFirstEventSeconds, type RouteStrategy } from '#lambdas/routing/route.ts';
import {
  checkFirstEventSeconds,
  checkModel,
  checkParameters,
  checkWeight,
  type EditedTarget,
} from './edited-route.ts';
import { ModelField } from './model-field.tsx';

/** The names that the API gives the fields of the target at a position. */
export function targetFieldNames(index: number) {
  const target = `targets[${index}]`;
  return {
    model: `${target}.model`,
    weight: `${target}.weight`,
    parameters: `${target}.parameters`,
    firstEventSeconds: `${target}.first_event_seconds`,
  };
}

interface TargetFieldsProps {
  target: EditedTarget;
  /** In the list, from 0. */
  index: number;
  /** The number of targets. */
  count: number;
  strategy: RouteStrategy;
  onChange: (changes: Partial<EditedTarget>) => void;
  onMove: (step: -1 | 1) => void;
  onRemove: () => void;
  onDragStart: () => void;
  onDragEnd: () => void;
}

export function TargetFields({ target, index, count, strategy, onChange, ...events }: TargetFieldsProps) {
  const names = targetFieldNames(index);
  // A field that is shown stays, also when it is emptied.
  const [hasParameters, setHasParameters] = useState(target.parameters !== '');
  const [hasTimeout, setHasTimeout] = useState(target.firstEventSeconds !== '');
  return (
    <fieldset aria-label={`Target ${index + 1}`} className="flex min-w-0 flex-col gap-3 p-3 pt-2">
      <TargetHead model={target.model} index={index} count={count} {...events} />
      <ModelField
        name={names.model}
        value={target.model}
        onValueChange={(value) => onChange({ model: value })}
        validate={checkModel}
      />
      {strategy === 'weight' && (
        <TextField
          label="Weight"
          name={names.weight}
          description="Its share of the sum of all weights. With 0, it only follows others."
          placeholder="1"
          inputMode="numeric"
          autoComplete="off"
          value={target.weight}
          onValueChange={(value) => onChange({ weight: value })}
          validate={checkWeight}
        />
      )}
      {hasParameters && (
        <TextAreaField
          label="Parameters"
          name={names.parameters}
          description="A JSON object, whose fields replace those of the request."
          placeholder={'{ "reasoning_effort": "low" }'}
          rows={Math.min(Math.max(target.parameters.split('\n').length, 3), 10)}
          value={target.parameters}
          onValueChange={(value) => onChange({ parameters: value })}
          validate={checkParameters}
        />
      )}
      {hasTimeout && (
        <TextField
          label="Seconds until the first event of a stream"
          name={names.firstEventSeconds}
          description="Afterwards, the next target is tried. Complete responses have no such limit."
          placeholder={String(defaultFirstEventSeconds)}
          inputMode="numeric"
          autoComplete="off"
          value={target.firstEventSeconds}
          onValueChange={(value) => onChange({ firstEventSeconds: value })}
          validate={checkFirstEventSeconds}
        />
      )}
      {!(hasParameters && hasTimeout) && (
        <div className="flex flex-wrap gap-x-4 text-[0.8125rem]">
          {!hasParameters && (
            <LinkButton onClick={() => setHasParameters(true)}>Override parameters</LinkButton>
          )}
          {!hasTimeout && <LinkButton onClick={() => setHasTimeout(true)}>Set a time-out</LinkButton>}
        </div>
      )}
    </fieldset>
  );
}

type TargetHeadProps = Pick<
  TargetFieldsProps,
  'index' | 'count' | 'onMove' | 'onRemove' | 'onDragStart' | 'onDragEnd'
> & { model: string };

/** The position of the target, and what moves and removes it. */
function TargetHead({ model, index, count, onMove, onRemove, onDragStart, onDragEnd }: TargetHeadProps) {
  const title = `target ${index + 1}${model.trim() && `, ${model.trim()}`}`;
  const startDrag = (event: DragEvent<HTMLElement>) => {
    event.dataTransfer.effectAllowed = 'move';
    // Firefox drags nothing without data.
    event.dataTransfer.setData('text/plain', model);
    const item = event.currentTarget.closest('li');
    if (item !== null) event.dataTransfer.setDragImage(item, 12, 12);
    onDragStart();
  };
  return (
    <div className="flex items-center gap-1">
      {count > 1 && (
        // The arrows do the same for keyboards and screen readers.
        <span
          aria-hidden
          draggable
          data-drag-handle
          onDragStart={startDrag}
          onDragEnd={onDragEnd}
          className="-ml-1 flex size-8 cursor-grab items-center justify-center text-muted"
        >
          <GripVertical className="size-4" />
        </span>
      )}
      <p className="min-w-0 flex-1 text-[0.8125rem] font-medium">Target {index + 1}</p>
      {count > 1 && (
        <>
          <IconButton
            label={`Move ${title}, up`}
            aria-disabled={index === 0 || undefined}
            onClick={() => onMove(-1)}
          >
            <ArrowUp aria-hidden />
          </IconButton>
          <IconButton
            label={`Move ${title}, down`}
            aria-disabled={index === count - 1 || undefined}
            onClick={() => onMove(1)}
          >
            <ArrowDown aria-hidden />
          </IconButton>
          <IconButton label={`Remove ${title}`} onClick={onRemove}>
            <Trash2 aria-hidden />
          </IconButton>
        </>
      )}
    </div>
  );
}
