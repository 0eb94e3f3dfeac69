import { Field } from '@base-ui/react/field';
import { Select as BaseSelect } from '@base-ui/react/select';
import { Check, ChevronDown } from 'lucide-react';
import { useState } from 'react';

interface SelectOption<Value extends string> {
  value: Value;
  label: string;
}

interface SelectProps<Value extends string> {
  label: string;
  /** Name in the values and errors of a form. */
  name?: string;
  options: readonly SelectOption<Value>[];
  value: Value;
  onValueChange: (value: Value) => void;
}

/** A choice of one option from a list. */
export function Select<Value extends string>({
  label,
  name,
  options,
  value,
  onValueChange,
}: SelectProps<Value>) {
  // The list stays in the landmark of its field.
  const [container, setContainer] = useState<HTMLElement | null>(null);
  return (
    <Field.Root name={name} className="flex min-w-0 flex-col gap-1.5">
      <BaseSelect.Root
        items={options}
        value={value}
        onValueChange={(chosen) => chosen !== null && onValueChange(chosen)}
      >
        <BaseSelect.Label className="font-medium">{label}</BaseSelect.Label>
        <div className="min-w-0">
          <BaseSelect.Trigger className="flex h-9 w-full items-center justify-between gap-1.5 rounded-lg border border-control bg-raised pr-2.5 pl-3 text-left text-base shadow-card transition-colors select-none hover:bg-hover sm:text-sm">
            <BaseSelect.Value className="min-w-0 truncate" />
            <BaseSelect.Icon className="shrink-0 text-muted">
              <ChevronDown aria-hidden className="size-4" />
            </BaseSelect.Icon>
          </BaseSelect.Trigger>
          <div ref={setContainer} />
        </div>
        <BaseSelect.Portal container={container}>
          <BaseSelect.Positioner
            alignItemWithTrigger={false}
            sideOffset={6}
            collisionPadding={8}
            className="z-40 outline-none"
          >
            <BaseSelect.Popup className="max-h-[min(20rem,var(--available-height))] w-(--anchor-width) origin-(--transform-origin) overflow-y-auto rounded-xl bg-raised p-1.5 shadow-popup outline-none transition-[opacity,scale] duration-100 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0">
              {options.map((option) => (
                <BaseSelect.Item
                  key={option.value}
                  value={option.value}
                  className="flex min-h-8 cursor-pointer items-center gap-3 rounded-md px-2.5 py-1.5 outline-none select-none data-highlighted:bg-hover"
                >
                  <BaseSelect.ItemText className="min-w-0 flex-1 wrap-anywhere">
                    {option.label}
                  </BaseSelect.ItemText>
                  <BaseSelect.ItemIndicator className="shrink-0 text-muted">
                    <Check aria-hidden className="size-4" />
                  </BaseSelect.ItemIndicator>
                </BaseSelect.Item>
              ))}
            </BaseSelect.Popup>
          </BaseSelect.Positioner>
        </BaseSelect.Portal>
      </BaseSelect.Root>
      <Field.Error className="text-[0.8125rem] text-danger" />
    </Field.Root>
  );
}
