import { Menu as BaseMenu } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import { type ComponentProps, type ReactElement, type ReactNode, useState } from 'react';
import { classNames } from '../class-names.ts';

const itemClasses =
  'flex min-h-8 cursor-pointer items-center gap-2.5 rounded-md px-2.5 outline-none select-none data-highlighted:bg-hover [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted';

const labelClasses = 'px-2.5 pt-1 pb-1.5 text-xs font-medium text-muted';

const widths = {
  wide: 'w-72 max-w-(--available-width)',
  wider: 'w-92 max-w-(--available-width)',
};

interface MenuProps extends Pick<ComponentProps<typeof BaseMenu.Positioner>, 'side' | 'align'> {
  trigger: ReactElement;
  /** The width of the menu: by default that of the trigger. `wide` and `wider` are for items with long texts. */
  width?: 'wide' | 'wider';
  children: ReactNode;
}

/** A button with a menu, which stays in the landmark of its button. Both are one box, wherever they are put. */
export function Menu({ trigger, width, side, align, children }: MenuProps) {
  const [container, setContainer] = useState<HTMLElement | null>(null);
  return (
    <div className="min-w-0">
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
            <BaseMenu.Popup
              className={classNames(
                width ? widths[width] : 'w-(--anchor-width) min-w-56',
                'origin-(--transform-origin) rounded-xl bg-raised p-1.5 shadow-popup outline-none transition-[opacity,scale] duration-100 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0',
              )}
            >
              {children}
            </BaseMenu.Popup>
          </BaseMenu.Positioner>
        </BaseMenu.Portal>
      </BaseMenu.Root>
    </div>
  );
}

/** The name of the items that follow. */
export function MenuLabel({ children }: { children: ReactNode }) {
  return <p className={labelClasses}>{children}</p>;
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

interface MenuLinkProps {
  /** Such as `<Link to="/account" />`. */
  link: ReactElement;
  onClick?: () => void;
  children: ReactNode;
}

export function MenuLink({ link, onClick, children }: MenuLinkProps) {
  return (
    <BaseMenu.LinkItem className={itemClasses} render={link} onClick={onClick} closeOnClick>
      {children}
    </BaseMenu.LinkItem>
  );
}

interface MenuChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string; description?: string; icon?: ReactNode }[];
  onValueChange: (value: Value) => void;
  /** False if the menu stays, so that the effect can be seen and another item tried. */
  closesMenu?: boolean;
}

/** A group of items of which one is chosen. */
export function MenuChoice<Value extends string>({
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
