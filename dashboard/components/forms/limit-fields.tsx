import { Field } from '@base-ui/react/field';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import type { Locale } from '../values/locale.ts';
import { editableNumber, parseLocaleUsd } from '../values/parse-number.ts';
import { ChoiceChips } from './chips.tsx';
import { SwitchField } from './switch-field.tsx';

export interface Limit {
  amount: string;
  period: BudgetSummary['period'];
  hard: boolean;
}

const periods = [
  { value: 'day', label: 'Per day' },
  { value: 'month', label: 'Per month' },
] as const;

interface LimitFieldsProps {
  value: Limit;
  onValueChange: (limit: Limit) => void;
  /** Whether the period cannot be changed, because it identifies the existing budget. */
  fixedPeriod?: boolean;
}

/** Amount, period and hard limit of a budget. The amount has the API's field name, `amount_usd`. */
export function LimitFields({ value, onValueChange, fixedPeriod = false }: LimitFieldsProps) {
  return (
    <>
      <AmountField
        name="amount_usd"
        label={fixedPeriod ? `Amount per ${value.period}` : 'Amount'}
        value={value.amount}
        onValueChange={(amount) => onValueChange({ ...value, amount })}
      />
      {!fixedPeriod && (
        <ChoiceChips
          label="Period"
          options={periods}
          value={value.period}
          onValueChange={(period) => onValueChange({ ...value, period })}
          columns="grid-cols-2"
        >
          <p className="text-[0.8125rem] text-muted">Days and months begin at midnight UTC.</p>
        </ChoiceChips>
      )}
      <SwitchField
        label="Hard limit"
        description={
          value.hard
            ? 'Requests that might exceed the budget are refused before they reach a provider.'
            : 'Off: spend is counted and shown, and no request is refused.'
        }
        checked={value.hard}
        onCheckedChange={(hard) => onValueChange({ ...value, hard })}
      />
    </>
  );
}

interface AmountFieldProps {
  /** Name in the values and errors of the form. */
  name: string;
  label?: string;
  value: string;
  onValueChange: (value: string) => void;
}

/** An amount of US dollars, as text. */
function AmountField({ name, label = 'Amount', value, onValueChange }: AmountFieldProps) {
  return (
    <Field.Root
      name={name}
      validate={(text) => checkAmount(String(text))}
      className="flex min-w-0 flex-1 flex-col gap-1.5"
    >
      <Field.Label className="font-medium">{label}</Field.Label>
      <div className="relative">
        <span
          aria-hidden
          className="pointer-events-none absolute inset-y-0 left-3 flex items-center text-base text-muted sm:text-sm"
        >
          $
        </span>
        <Field.Control
          value={value}
          onValueChange={onValueChange}
          inputMode="decimal"
          autoComplete="off"
          placeholder={editableNumber('25.00')}
          className="h-9 w-full rounded-lg border border-control bg-raised pr-14 pl-7 text-base tabular-nums shadow-card transition-colors placeholder:text-placeholder focus:border-accent focus:outline-2 focus:outline-offset-0 focus:outline-accent/30 data-invalid:border-danger data-invalid:focus:outline-danger/30 sm:text-sm"
        />
        <span
          aria-hidden
          className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-xs text-muted"
        >
          USD
        </span>
      </div>
      <Field.Error className="text-[0.8125rem] text-danger" />
    </Field.Root>
  );
}

/** Returns the decimal text of the API for an amount as users enter it, and as the page shows it. */
export function normalizeAmount(value: string, locale?: Locale): string {
  return parseLocaleUsd(value, locale) ?? '';
}

/** Returns why the value is refused, or `null`. */
export function checkAmount(value: string, locale?: Locale): string | null {
  const amount = normalizeAmount(value, locale);
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(amount)) {
    return `Enter an amount of US dollars, such as 250 or ${editableNumber('99.50', locale)}`;
  }
  return /[1-9]/.test(amount) ? null : 'Enter an amount above 0';
}
