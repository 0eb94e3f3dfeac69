import type { ReactElement, ReactNode } from 'react';
import { OnceTriggered, type Trigger } from './once-triggered.tsx';

type Parts = typeof import('./menu/parts.tsx');

let parts: Parts | null = null;

/** Only the first menu that is opened has to wait for it. */
async function loadParts(): Promise<void> {
  parts = await import('./menu/parts.tsx');
}

/** Items are rendered only within an opened menu. */
function loadedParts(): Parts {
  if (parts === null) throw new Error('The parts of a menu must be inside Menu');
  return parts;
}

export interface MenuProps {
  trigger: Trigger;
  /** The width of the menu: by default that of the trigger. `wide` and `wider` are for items with long texts. */
  width?: 'wide' | 'wider';
  side?: 'top' | 'bottom';
  align?: 'start' | 'end';
  children: ReactNode;
}

/**
 * A button with a menu, which stays in the landmark of its button. Both are one box, wherever they are put. The code of
 * menus is loaded when the first one is about to be opened.
 */
export function Menu(props: MenuProps) {
  return (
    <div className="min-w-0">
      <OnceTriggered trigger={props.trigger} popup="menu" load={loadParts}>
        <LoadedMenu {...props} />
      </OnceTriggered>
    </div>
  );
}

function LoadedMenu(props: MenuProps) {
  const { OpenedMenu } = loadedParts();
  return <OpenedMenu {...props} />;
}

/** The name of the items that follow. */
export function MenuLabel({ children }: { children: ReactNode }) {
  const { Label } = loadedParts();
  return <Label>{children}</Label>;
}

export function MenuSeparator() {
  const { Separator } = loadedParts();
  return <Separator />;
}

export interface MenuItemProps {
  onClick: () => void;
  children: ReactNode;
}

export function MenuItem(props: MenuItemProps) {
  const { Item } = loadedParts();
  return <Item {...props} />;
}

export interface MenuLinkProps {
  /** Such as `<Link to="/account" />`. */
  link: ReactElement;
  onClick?: () => void;
  children: ReactNode;
}

export function MenuLink(props: MenuLinkProps) {
  const { LinkItem } = loadedParts();
  return <LinkItem {...props} />;
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
export function MenuChoice<Value extends string>(props: MenuChoiceProps<Value>) {
  const { Choice } = loadedParts();
  return <Choice {...props} />;
}
