import { Switch } from '@base-ui/react/switch';
import { type ReactNode, useId } from 'react';

interface SwitchFieldProps {
  label: string;
  description?: ReactNode;
  checked: boolean;
  onCheckedChange: (checked: boolean) => void;
}

/** A setting that is on or off, with its explanation. */
export function SwitchField({ label, description, checked, onCheckedChange }: SwitchFieldProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-4">
      <div className="min-w-0 flex-1">
        <label id={`${id}-label`} htmlFor={id} className="block cursor-pointer font-medium">
          {label}
        </label>
        {description && (
          <p id={`${id}-description`} className="mt-0.5 text-[0.8125rem] text-muted">
            {description}
          </p>
        )}
      </div>
      <Switch.Root
        id={id}
        aria-labelledby={`${id}-label`}
        aria-describedby={description ? `${id}-description` : undefined}
        checked={checked}
        onCheckedChange={onCheckedChange}
        className="mt-0.5 flex h-5 w-9 shrink-0 cursor-pointer rounded-full border border-transparent bg-placeholder/75 p-0.5 transition-colors data-checked:bg-accent"
      >
        <Switch.Thumb className="size-3.5 rounded-full bg-white shadow-card transition-[translate] duration-150 data-checked:translate-x-4" />
      </Switch.Root>
    </div>
  );
}
