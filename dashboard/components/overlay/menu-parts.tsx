/** The opened menu and its parts, which are loaded with the first menu that is opened. */
import { Menu as BaseMenu } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import { type ReactElement, type ReactNode, useState } from 'react';
import { classNames } from '../class-names.ts';
import type { Trigger } from './once-opened.tsx';

const itemClasses =
  'flex min-h-8 cursor-pointer items-center gap-2.5 rounded-md px-2.5 outline-none select-none data-disabled:cursor-default data-disabled:text-muted data-highlighted:bg-hover [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted';

const labelClasses = 'px-2.5 pt-1 pb-1.5 text-xs font-medium text-muted';

const widths = {
  wide: 'w-72 max-w-(--available-width)',
  wider: 'w-92 max-w-(--available-width)',
};

export interface MenuProps {
  trigger: Trigger;
  /** The width of the menu: by default that of the trigger. `wide` and `wider` are for items with long texts. */
  width?: 'wide' | 'wider';
  side?: 'top' | 'bottom';
  align?: 'start' | 'end';
  /** Loads more code than that of menus. */
  load?: () => Promise<unknown>;
  children: ReactNode;
}

/** Opens at once. */
export function OpenedMenu({ trigger, width, side, align, children }: MenuProps) {
  const [container, setContainer] = useState<HTMLElement | null>(null);
  return (
    <BaseMenu.Root defaultOpen>
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
          <BaseMenu.Popup
            className={classNames(
              width ? widths[width] : 'w-(--anchor-width) min-w-56',
              'max-h-[min(26rem,var(--available-height))] origin-(--transform-origin) overflow-y-auto rounded-xl bg-raised p-1.5 shadow-popup outline-none transition-[opacity,scale] duration-100 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0',
            )}
          >
            {children}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

/** The name of the items that follow. */
export function Label({ children }: { children: ReactNode }) {
  return <p className={labelClasses}>{children}</p>;
}

export function Separator() {
  return <BaseMenu.Separator className="mx-1 my-1.5 h-px bg-line" />;
}

export interface MenuItemProps {
  onClick: () => void;
  children: ReactNode;
}

export function Item({ onClick, children }: MenuItemProps) {
  return (
    <BaseMenu.Item className={itemClasses} onClick={onClick}>
      {children}
    </BaseMenu.Item>
  );
}

export interface MenuLinkProps {
  /** Such as `<Link to="/account" />`. */
  link: ReactElement;
  onClick?: () => void;
  children: ReactNode;
}

export function LinkItem({ link, onClick, children }: MenuLinkProps) {
  return (
    <BaseMenu.LinkItem className={itemClasses} render={link} onClick={onClick} closeOnClick>
      {children}
    </BaseMenu.LinkItem>
  );
}

interface MenuOption<Value extends string> {
  value: Value;
  label: string;
  description?: string;
  icon?: ReactNode;
  isDisabled?: boolean;
}

export interface MenuChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly MenuOption<Value>[];
  onValueChange: (value: Value) => void;
  /** False if the menu stays, so that the effect can be seen and another item tried. */
  closesMenu?: boolean;
}

/** A group of items of which one is chosen. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onValueChange,
  closesMenu = true,
}: MenuChoiceProps<Value>) {
  return (
    <BaseMenu.RadioGroup value={value} onValueChange={onValueChange}>
      <BaseMenu.GroupLabel className={labelClasses}>{label}</BaseMenu.GroupLabel>
      {options.map((option) => (
        <BaseMenu.RadioItem
          key={option.value}
          value={option.value}
          closeOnClick={closesMenu}
          disabled={option.isDisabled}
          className={itemClasses}
        >
          {option.icon}
          <span className="min-w-0 flex-1 py-1.5">
            <span className="block">{option.label}</span>
            {option.description && (
              <span className="block text-[0.8125rem] text-pretty text-muted">{option.description}</span>
            )}
          </span>
          <BaseMenu.RadioItemIndicator>
            <Check aria-hidden />
          </BaseMenu.RadioItemIndicator>
        </BaseMenu.RadioItem>
      ))}
    </BaseMenu.RadioGroup>
  );
}
