import { Field } from '@base-ui/react/field';
import type { ReactNode } from 'react';

interface TextAreaFieldProps {
  label: string;
  /** Name in the form's values and errors. */
  name: string;
  description?: ReactNode;
  hiddenLabel?: boolean;
  /** Returns why a value is refused, or `null`. */
  validate?: (value: string) => string | null;
  value: string;
  onValueChange: (value: string) => void;
  rows: number;
  placeholder?: string;
}

/** A labelled field of a `Form` for several lines of code, such as JSON. Its error is that of a line, if it says so. */
export function TextAreaField({
  label,
  name,
  description,
  hiddenLabel = false,
  validate,
  rows,
  ...control
}: TextAreaFieldProps) {
  return (
    <Field.Root
      name={name}
      validate={validate && ((value) => validate(typeof value === 'string' ? value : ''))}
      className="flex min-w-0 flex-col gap-1.5"
    >
      <Field.Label className={hiddenLabel ? 'sr-only' : 'font-medium'}>{label}</Field.Label>
      {description && (
        <Field.Description className="text-[0.8125rem] text-muted">{description}</Field.Description>
      )}
      <Field.Control
        {...control}
        render={<textarea rows={rows} />}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        className="w-full resize-y rounded-lg border border-control bg-raised px-3 py-2 font-mono text-base/5 shadow-card transition-colors placeholder:text-placeholder focus:border-accent focus:outline-2 focus:outline-offset-0 focus:outline-accent/30 data-invalid:border-danger data-invalid:focus:outline-danger/30 sm:text-[0.8125rem]/5"
      />
      <Field.Error className="text-[0.8125rem] text-danger" />
    </Field.Root>
  );
}
