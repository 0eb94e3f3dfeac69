import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classNames } from '../class-names.ts';
import { Menu, MenuChoice } from '../overlay/menu.tsx';

interface PickerOption<Value extends string> {
  value: Value;
  label: string;
  /** Why it cannot be chosen; `null` if it can. */
  reason?: string | null;
}

interface PickerProps<Value extends string> {
  label: string;
  /** False to show the value alone, where it explains itself. */
  showsLabel?: boolean;
  size?: 'small' | 'medium';
  options: readonly PickerOption<Value>[];
  value: Value;
  onValueChange: (value: Value) => void;
}

/** A choice in a toolbar, which changes the view at once. Options that are not possible say why. */
export function Picker<Value extends string>({
  label,
  showsLabel = true,
  size = 'small',
  options,
  value,
  onValueChange,
}: PickerProps<Value>) {
  const valueLabel = options.find((option) => option.value === value)?.label ?? value;
  return (
    <Menu align="start" trigger={<PickerButton {...{ label, showsLabel, size, valueLabel }} />}>
      <MenuChoice
        label={label}
        value={value}
        options={options.map(({ reason, ...option }) => ({
          ...option,
          description: reason ?? undefined,
          isDisabled: reason != null,
        }))}
        onValueChange={onValueChange}
      />
    </Menu>
  );
}

interface PickerButtonProps extends ComponentProps<'button'> {
  label: string;
  showsLabel: boolean;
  size: 'small' | 'medium';
  valueLabel: string;
}

function PickerButton({ label, showsLabel, size, valueLabel, ...props }: PickerButtonProps) {
  return (
    <button
      type="button"
      {...props}
      className={classNames(
        'flex w-full items-center gap-1.5 border border-control bg-raised text-left shadow-card transition-colors select-none hover:bg-hover data-popup-open:bg-hover',
        size === 'small'
          ? 'h-8 rounded-md pr-2 pl-2.5 text-[0.8125rem]'
          : 'h-9 rounded-lg pr-2.5 pl-3 text-base sm:text-sm',
      )}
    >
      <span className={showsLabel ? 'shrink-0 text-muted' : 'sr-only'}>{label}</span>
      <span className={classNames('min-w-0 flex-1 truncate', showsLabel && 'font-medium')}>{valueLabel}</span>
      <ChevronDown aria-hidden className="size-3.5 shrink-0 text-muted" />
    </button>
  );
}
