import { useState } from 'react';
import type { ExpiryValue } from './expiry-field.tsx';
import { expiryTime } from './presets.ts';

/** The state of an expiry field. What is shown is what is sent: times count from when the form was opened. */
export function useExpiry(initial: ExpiryValue) {
  const [now] = useState(() => new Date());
  const [value, setValue] = useState(initial);
  const time = expiryTime(value.choice, value.day, now);
  return {
    field: { value, onValueChange: setValue, time, now },
    /** The form's fields: a preset has none that could show an error. */
    fieldNames: value.choice === 'date' ? (['expires_at'] as const) : [],
    expiresAt: time?.toISOString() ?? null,
  };
}
