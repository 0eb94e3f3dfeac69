import { Menu } from 'lucide-react';
import { lazy, type ReactNode } from 'react';
import { IconButton } from '#dashboard/components/button.tsx';
import { OnceTriggered } from '#dashboard/components/overlay/once-triggered.tsx';

export interface DrawerProps {
  /** Beside the button that closes it. */
  top: (close: () => void) => ReactNode;
  children: (close: () => void) => ReactNode;
}

const loadDrawer = () => import('./opened-drawer.tsx');
const OpenedDrawer = lazy(() => loadDrawer().then((module) => ({ default: module.OpenedDrawer })));

/** The navigation on phones, with the button that opens it. */
export function Drawer(props: DrawerProps) {
  const trigger = (
    <IconButton label="Open navigation">
      <Menu aria-hidden />
    </IconButton>
  );
  return (
    <OnceTriggered trigger={trigger} popup="dialog" load={loadDrawer}>
      <OpenedDrawer trigger={trigger} {...props} />
    </OnceTriggered>
  );
}
