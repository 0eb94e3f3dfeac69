import { useQuery } from '@tanstack/react-query';
import { Outlet, useSearch } from '@tanstack/react-router';
import { Menu } from 'lucide-react';
import { lazy, useEffect } from 'react';
import { signInSessionQuery } from '#dashboard/api/sign-in.ts';
import { BrandMark, productName } from '#dashboard/components/brand.tsx';
import { IconButton } from '#dashboard/components/button.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { OnceTriggered } from '#dashboard/components/overlay/once-opened.tsx';
import { TooltipLayer } from '#dashboard/components/overlay/tooltip.tsx';
import { TimeZoneContext } from '#dashboard/components/values/time-zone.ts';
import { rememberTimeZone, usePersonTimeZone } from '#dashboard/range/person-zone.ts';
import { parseRangeSearch } from '#dashboard/range/range.ts';
import type { User } from '#lambdas/accounts/sign-in/responses.ts';
import type { DrawerProps } from './opened-drawer.tsx';
import { Brand, SidebarNavigation, SidebarTop } from './sidebar.tsx';
import { UserMenu } from './user-menu.tsx';

/** The frame around the views for signed-in users. */
export function Shell() {
  const session = useQuery(signInSessionQuery);
  const personTimeZone = usePersonTimeZone();
  const { time_zone: linkTimeZone } = parseRangeSearch(useSearch({ strict: false }));
  useEffect(() => {
    if (session.data) rememberTimeZone(session.data);
  }, [session.data]);
  if (session.data) {
    return (
      <TimeZoneContext value={linkTimeZone ?? personTimeZone}>
        <Frame user={session.data.user} />
      </TimeZoneContext>
    );
  }
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <h1 className="sr-only">{productName}</h1>
      <QueryStatus query={session} skeleton={<BrandMark className="size-11 animate-fade-in-late" />} />
    </main>
  );
}

function Frame({ user }: { user: User }) {
  return (
    <div className="min-h-dvh md:pl-62 print:pl-0">
      <a
        href="#content"
        className="fixed top-2 right-16 z-50 -translate-y-20 rounded-lg bg-primary px-3.5 py-2 font-medium text-on-primary focus:translate-y-0 print:hidden"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-20 flex h-14 items-center gap-1 px-2 md:hidden print:hidden">
        {/* An element of its own, since a filter on the header would confine the menu's backdrop to it. */}
        <div className="absolute inset-0 -z-10 border-b border-line bg-canvas/85 backdrop-blur-md" />
        <Drawer top={(close) => <SidebarTop onNavigate={close} />}>
          {(close) => <SidebarNavigation onNavigate={close} />}
        </Drawer>
        <Brand />
        <div className="ml-auto">
          <UserMenu user={user} compact />
        </div>
      </header>
      <header className="fixed inset-y-0 left-0 z-20 hidden w-62 flex-col border-r border-line bg-canvas md:flex print:hidden">
        <div className="shrink-0 p-2">
          <SidebarTop />
        </div>
        <div className="flex-1 overflow-y-auto px-3 py-3">
          <SidebarNavigation />
        </div>
        <div className="border-t border-line p-2">
          <UserMenu user={user} />
        </div>
      </header>
      <main id="content" tabIndex={-1} className="outline-none">
        <Outlet />
        <TooltipLayer />
      </main>
    </div>
  );
}

const loadDrawer = () => import('./opened-drawer.tsx');
const OpenedDrawer = lazy(() => loadDrawer().then((module) => ({ default: module.OpenedDrawer })));

/** The navigation on phones, with the button that opens it. */
function Drawer(props: DrawerProps) {
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
