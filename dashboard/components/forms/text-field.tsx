import { Field } from '@base-ui/react/field';
import type { FocusEvent, ReactNode } from 'react';
import { domainOf } from '#lambdas/accounts/email-address.ts';
import { classNames } from '../class-names.ts';

export interface TextFieldProps {
  label: string;
  /** Name in the form's values and errors. */
  name: string;
  description?: ReactNode;
  /** Below the field, about what is entered. */
  hint?: ReactNode;
  /** Returns why a value is refused, or `null`. */
  validate?: (value: string) => string | null;
  value?: string;
  onValueChange?: (value: string) => void;
  type?: 'text' | 'email';
  autoComplete?: string;
  inputMode?: 'numeric' | 'email' | 'text';
  maxLength?: number;
  placeholder?: string;
  /** `code` has wide, fixed-width digits. */
  look?: 'text' | 'code';
  hiddenLabel?: boolean;
  autoFocus?: boolean;
  onFocus?: (event: FocusEvent<HTMLInputElement>) => void;
}

/** A labelled text field of a `Form`, which supplies the errors of the server by the field's name. */
export function TextField({
  label,
  name,
  description,
  hint,
  validate,
  look = 'text',
  hiddenLabel = false,
  ...control
}: TextFieldProps) {
  return (
    <Field.Root
      name={name}
      validate={validate && ((value) => validate(typeof value === 'string' ? value : ''))}
      className="flex min-w-0 flex-1 flex-col gap-1.5"
    >
      <Field.Label className={hiddenLabel ? 'sr-only' : 'font-medium'}>{label}</Field.Label>
      {description && (
        <Field.Description className="text-[0.8125rem] text-muted">{description}</Field.Description>
      )}
      <Field.Control
        {...control}
        spellCheck={false}
        className={classNames(
          'h-9 w-full rounded-lg border border-control bg-raised px-3 text-base shadow-card transition-colors placeholder:text-placeholder sm:text-sm',
          'focus:border-accent focus:outline-2 focus:outline-offset-0 focus:outline-accent/30 data-invalid:border-danger data-invalid:focus:outline-danger/30',
          look === 'code' && 'font-mono tracking-[0.3em] sm:text-base',
        )}
      />
      {hint && (
        <Field.Description className="text-[0.8125rem] text-muted tabular-nums">{hint}</Field.Description>
      )}
      <Field.Error className="text-[0.8125rem] text-danger" />
    </Field.Root>
  );
}

/** Returns why an address is refused, or `null`. The server has the last word. */
export function checkEmailAddress(value: string): string | null {
  const address = value.trim();
  return /^[^\s@]+@[^\s@]+$/.test(address) && domainOf(address) !== ''
    ? null
    : 'Enter an e-mail address, such as name@example.com';
}
