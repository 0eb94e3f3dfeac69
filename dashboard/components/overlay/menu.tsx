import type { ReactNode } from 'react';
import { loadCode } from '../load-code.ts';
import type { MenuChoiceProps, MenuItemProps, MenuLinkProps, MenuProps } from './menu-parts.tsx';
import { OnceTriggered } from './once-opened.tsx';

type Parts = typeof import('./menu-parts.tsx');

let parts: Parts | null = null;

/** Only the first menu that is opened has to wait for it. */
async function loadParts(): Promise<void> {
  parts = await loadCode(() => import('./menu-parts.tsx'));
}

/** Items are rendered only within an opened menu. */
function loadedParts(): Parts {
  if (parts === null) throw new Error('The parts of a menu must be inside Menu');
  return parts;
}

/**
 * A button with a menu, which stays in the landmark of its button. Both are one box, wherever they are put. The code of
 * menus is loaded when the first one is about to be opened.
 */
export function Menu(props: MenuProps) {
  return (
    <div className="min-w-0">
      <OnceTriggered
        trigger={props.trigger}
        popup="menu"
        load={() => Promise.all([loadParts(), props.load?.()])}
      >
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

export function MenuItem(props: MenuItemProps) {
  const { Item } = loadedParts();
  return <Item {...props} />;
}

export function MenuLink(props: MenuLinkProps) {
  const { LinkItem } = loadedParts();
  return <LinkItem {...props} />;
}

/** A group of items of which one is chosen. */
export function MenuChoice<Value extends string>(props: MenuChoiceProps<Value>) {
  const { Choice } = loadedParts();
  return <Choice {...props} />;
}
