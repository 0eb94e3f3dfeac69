import { Field } from '@base-ui/react/field';
import { Fieldset } from '@base-ui/react/fieldset';
import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import type { ReactNode } from 'react';

interface RadioOption<Value extends string> {
  value: Value;
  label: string;
  description?: ReactNode;
}

interface RadioCardsProps<Value extends string> {
  label: string;
  /** Name in the values and errors of a form. */
  name?: string;
  options: readonly RadioOption<Value>[];
  value: Value;
  onValueChange: (value: Value) => void;
}

/** A choice of one option, all of which are shown with their explanation. */
export function RadioCards<Value extends string>({
  label,
  name,
  options,
  value,
  onValueChange,
}: RadioCardsProps<Value>) {
  return (
    <Field.Root name={name}>
      <Fieldset.Root
        render={<RadioGroup value={value} onValueChange={(chosen) => onValueChange(chosen)} />}
        className="flex flex-col gap-1.5"
      >
        <Fieldset.Legend className="font-medium">{label}</Fieldset.Legend>
        <div className="divide-y divide-line overflow-hidden rounded-lg border border-control bg-raised shadow-card">
          {options.map((option) => (
            <Field.Item key={option.value}>
              <Field.Label className="flex cursor-pointer items-start gap-3 px-3.5 py-2.5 transition-colors hover:bg-hover has-data-checked:bg-accent-soft">
                <Radio.Root
                  value={option.value}
                  className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-full border border-placeholder bg-raised transition-colors data-checked:border-accent data-checked:bg-accent"
                >
                  <Radio.Indicator className="size-1.5 rounded-full bg-raised" />
                </Radio.Root>
                <span className="min-w-0">
                  <span className="block font-medium">{option.label}</span>
                  {option.description && (
                    <span className="block text-[0.8125rem] text-pretty text-muted">
                      {option.description}
                    </span>
                  )}
                </span>
              </Field.Label>
            </Field.Item>
          ))}
        </div>
        <Field.Error className="text-[0.8125rem] text-danger" />
      </Fieldset.Root>
    </Field.Root>
  );
}
