import { useState } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { Form } from '#dashboard/components/forms/form.tsx';
import { TextField } from '#dashboard/components/forms/text-field.tsx';
import { formatFigure } from './figure-text.ts';
import { type FigureBounds, type FigureName, figureTitles } from './figures.ts';
import { editableFigure, parseFigure } from './parse-figure.ts';

interface BoundsFormProps {
  name: FigureName;
  /** The present ones. */
  bounds: FigureBounds;
  onApply: (bounds: FigureBounds) => void;
}

/** The input of the bounds between which a figure is: one of them, or both. */
export function BoundsForm({ name, bounds, onApply }: BoundsFormProps) {
  const [minText, setMinText] = useState(() => editable(name, bounds[`min_${name}`]));
  const [maxText, setMaxText] = useState(() => editable(name, bounds[`max_${name}`]));
  return (
    <Form
      fields={['min', 'max']}
      error={null}
      onSubmit={() => onApply(readBounds(name, minText, maxText))}
      className="flex flex-col gap-3 p-2"
    >
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 font-medium">{figureTitles[name]}</legend>
        <TextField
          label="At least"
          name="min"
          placeholder={formatFigure(name, examples[name][0])}
          value={minText}
          onValueChange={setMinText}
          autoComplete="off"
          autoFocus
          validate={() => checkBound(name, minText) ?? checkAny(minText, maxText)}
        />
        <TextField
          label="At most"
          name="max"
          description={hints[name]}
          placeholder={formatFigure(name, examples[name][1])}
          value={maxText}
          onValueChange={setMaxText}
          autoComplete="off"
          validate={() => checkBound(name, maxText) ?? checkOrder(name, minText, maxText)}
        />
      </fieldset>
      <Button type="submit" size="small" variant="primary">
        Apply
      </Button>
    </Form>
  );
}

const examples: Record<FigureName, readonly [string, string]> = {
  cost_usd: ['0.01', '0.5'],
  latency_ms: ['2500', '60000'],
  time_to_first_token_ms: ['800', '5000'],
  total_tokens: ['1000', '20000'],
  retries: ['1', '3'],
};

const durationHint = 'Such as 800 ms, 1.5 s or 2 min. A number alone is in milliseconds.';

const hints: { [Name in FigureName]?: string } = {
  latency_ms: durationHint,
  time_to_first_token_ms: durationHint,
};

function editable(name: FigureName, value: string | undefined): string {
  return value === undefined ? '' : editableFigure(name, value);
}

/** Returns both bounds, also one that is to be removed. */
export function readBounds(name: FigureName, minText: string, maxText: string): FigureBounds {
  const read = (text: string) => (text.trim() === '' ? undefined : (parseFigure(name, text) ?? undefined));
  return { [`min_${name}`]: read(minText), [`max_${name}`]: read(maxText) };
}

/** Returns why a bound is refused, or `null`: it may be empty. */
export function checkBound(name: FigureName, text: string): string | null {
  if (text.trim() === '' || parseFigure(name, text) !== null) return null;
  return `Enter ${kinds[name]}, such as ${formatFigure(name, examples[name][0])}`;
}

const kinds: Record<FigureName, string> = {
  cost_usd: 'an amount in US dollars',
  latency_ms: 'a duration',
  time_to_first_token_ms: 'a duration',
  total_tokens: 'a whole number',
  retries: 'a whole number',
};

function checkAny(minText: string, maxText: string): string | null {
  return minText.trim() === '' && maxText.trim() === '' ? 'Enter one of the two' : null;
}

function checkOrder(name: FigureName, minText: string, maxText: string): string | null {
  const [min, max] = [parseFigure(name, minText), parseFigure(name, maxText)];
  return min !== null && max !== null && Number(min) > Number(max)
    ? 'This is less than the other value'
    : null;
}
