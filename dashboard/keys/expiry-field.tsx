import { Field } from '@base-ui/react/field';
import { useState } from 'react';
import { ChoiceChips } from '#dashboard/components/forms/chips.tsx';
import { useDraft } from '#dashboard/components/forms/drafts.ts';
import { useTimeZone } from '#dashboard/range/zone.ts';
import {
  checkDay,
  dayOf,
  type ExpiryChoice,
  expiryChoices,
  expiryLabels,
  expiryTime,
  formatExpiry,
} from './expiry-presets.ts';

interface ExpiryValue {
  choice: ExpiryChoice;
  /** For the choice `date`, such as `2026-12-24`. */
  day: string;
}

interface ExpiryFieldProps {
  value: ExpiryValue;
  onValueChange: (value: ExpiryValue) => void;
  /** When a key with this choice expires; `null` for never, or while the date is missing. */
  time: Date | null;
  now: Date;
}

const options = expiryChoices.map((value) => ({ value, label: expiryLabels[value] }));

/** Presets and a date, with the resulting time in the user's zone. */
export function ExpiryField({ value, onValueChange, time, now }: ExpiryFieldProps) {
  const timeZone = useTimeZone();
  return (
    <ChoiceChips
      label="Expires"
      options={options}
      value={value.choice}
      onValueChange={(choice) => onValueChange({ ...value, choice })}
      columns="grid-cols-3"
    >
      {value.choice === 'date' && (
        <Field.Root
          name="expires_at"
          validate={(text) => checkDay(String(text), now, timeZone)}
          className="mt-0.5 flex flex-col gap-1.5"
        >
          <Field.Label className="sr-only">Expiry date</Field.Label>
          <Field.Control
            type="date"
            value={value.day}
            min={dayOf(now, timeZone)}
            onValueChange={(day) => onValueChange({ ...value, day })}
            className="h-9 w-full rounded-lg border border-control bg-raised px-3 text-base shadow-card transition-colors focus:border-accent focus:outline-2 focus:outline-offset-0 focus:outline-accent/30 data-invalid:border-danger data-invalid:focus:outline-danger/30 sm:text-sm"
          />
          <Field.Error className="text-[0.8125rem] text-danger" />
        </Field.Root>
      )}
      <p role="status" className="text-[0.8125rem] text-muted">
        {expiryText(value.choice, time, timeZone)}
      </p>
    </ChoiceChips>
  );
}

function expiryText(choice: ExpiryChoice, time: Date | null, timeZone: string): string {
  if (time !== null) return `Works until ${formatExpiry(time, undefined, timeZone)}.`;
  return choice === 'never' ? 'Works until it is revoked.' : 'Choose the last day on which it works.';
}

/**
 * The state of an expiry field. What is shown is what is sent: times count from when the form was opened.
 *
 * @param draft the name of its draft
 */
export function useExpiry(initial: ExpiryValue, draft: string | null = null) {
  const [now] = useState(() => new Date());
  const timeZone = useTimeZone();
  const [value, setValue] = useDraft(draft, initial);
  const time = expiryTime(value.choice, value.day, now, timeZone);
  return {
    field: { value, onValueChange: setValue, time, now },
    /** The form's fields: a preset has none that could show an error. */
    fieldNames: value.choice === 'date' ? (['expires_at'] as const) : [],
    expiresAt: time?.toISOString() ?? null,
  };
}
