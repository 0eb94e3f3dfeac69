import { Menu as BaseMenu } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import { type ComponentProps, type ReactElement, type ReactNode, useState } from 'react';

const itemClasses =
  'flex h-8 cursor-pointer items-center gap-2.5 rounded-md px-2.5 outline-none select-none data-highlighted:bg-hover [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted';

interface MenuProps extends Pick<ComponentProps<typeof BaseMenu.Positioner>, 'side' | 'align'> {
  trigger: ReactElement;
  children: ReactNode;
}

/** A button with a menu, which stays in the landmark of its button. */
export function Menu({ trigger, side, align, children }: MenuProps) {
  const [container, setContainer] = useState<HTMLElement | null>(null);
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger render={trigger} />
      <div ref={setContainer} />
      <BaseMenu.Portal container={container}>
        <BaseMenu.Positioner
          side={side}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="z-40 outline-none"
        >
          <BaseMenu.Popup className="w-(--anchor-width) min-w-56 origin-(--transform-origin) rounded-xl bg-raised p-1.5 shadow-popup outline-none transition-[opacity,scale] duration-100 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0">
            {children}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

export function MenuSeparator() {
  return <BaseMenu.Separator className="mx-1 my-1.5 h-px bg-line" />;
}

export function MenuItem({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <BaseMenu.Item className={itemClasses} onClick={onClick}>
      {children}
    </BaseMenu.Item>
  );
}

interface MenuChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string; icon: ReactNode }[];
  onValueChange: (value: Value) => void;
}

/** A group of items of which one is chosen. */
export function MenuChoice<Value extends string>({
  label,
  value,
  options,
  onValueChange,
}: MenuChoiceProps<Value>) {
  return (
    <BaseMenu.RadioGroup value={value} onValueChange={onValueChange}>
      <BaseMenu.GroupLabel className="px-2.5 pt-1 pb-1.5 text-xs font-medium text-muted">
        {label}
      </BaseMenu.GroupLabel>
      {options.map((option) => (
        <BaseMenu.RadioItem key={option.value} value={option.value} className={itemClasses}>
          {option.icon}
          <span className="flex-1">{option.label}</span>
          <BaseMenu.RadioItemIndicator>
            <Check aria-hidden />
          </BaseMenu.RadioItemIndicator>
        </BaseMenu.RadioItem>
      ))}
    </BaseMenu.RadioGroup>
  );
}
