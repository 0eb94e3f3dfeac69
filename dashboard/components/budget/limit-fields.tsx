import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { ChoiceChips } from '../choice/chips.tsx';
import { SwitchField } from '../choice/switch-field.tsx';
import { AmountField } from './amount-field.tsx';

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

/** Amount, period and hard stop of a budget. The amount has the API's field name, `amount_usd`. */
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
        label="Hard stop"
        description={
          value.hard
            ? 'Requests that might exceed the budget are refused before they reach a provider.'
            : 'Off: spending is counted and shown, and no request is refused.'
        }
        checked={value.hard}
        onCheckedChange={(hard) => onValueChange({ ...value, hard })}
      />
    </>
  );
}
