import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { type ReactNode, useId } from 'react';
import { classNames } from '../class-names.ts';

interface ChoiceChipsProps<Value extends string> {
  label: string;
  options: readonly { value: Value; label: string }[];
  value: Value;
  onValueChange: (value: Value) => void;
  /** Grid classes for the options, such as "grid-cols-3". */
  columns: string;
  /** Text below the options about the chosen one. */
  children?: ReactNode;
}

/** A choice between a few short options, all of which are shown. */
export function ChoiceChips<Value extends string>({
  label,
  options,
  value,
  onValueChange,
  columns,
  children,
}: ChoiceChipsProps<Value>) {
  const labelId = useId();
  return (
    <div className="flex flex-col gap-1.5">
      <p id={labelId} className="font-medium">
        {label}
      </p>
      <RadioGroup
        aria-labelledby={labelId}
        value={value}
        onValueChange={(chosen) => onValueChange(chosen)}
        className={classNames('grid gap-2', columns)}
      >
        {options.map((option) => (
          <Radio.Root
            key={option.value}
            value={option.value}
            className="flex min-h-9 cursor-pointer items-center justify-center rounded-lg border border-control bg-raised px-1 py-1 text-center text-[0.8125rem]/4 font-medium text-muted sm:text-sm/5 shadow-card transition-colors select-none hover:bg-hover hover:text-text data-checked:border-accent data-checked:bg-accent-soft data-checked:text-accent"
          >
            {option.label}
          </Radio.Root>
        ))}
      </RadioGroup>
      {children}
    </div>
  );
}
