import { Menu } from 'lucide-react';
import { lazy } from 'react';
import { IconButton } from '#dashboard/components/button.tsx';
import { OnceTriggered } from '#dashboard/components/overlay/once-opened.tsx';
import type { DrawerProps } from './opened-drawer.tsx';

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
