import { useQuery } from '@tanstack/react-query';
import { Outlet, useMatches, useSearch } from '@tanstack/react-router';
import { Menu } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { signInSessionQuery } from '#dashboard/api/sign-in.ts';
import { BrandMark, productName } from '#dashboard/components/brand.tsx';
import { IconButton } from '#dashboard/components/button.tsx';
import { OfflineNotice } from '#dashboard/components/feedback/offline-notice.tsx';
import { PageSkeleton } from '#dashboard/components/feedback/page-skeleton.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { lazyComponent, loadCode } from '#dashboard/components/load-code.ts';
import { OnceTriggered } from '#dashboard/components/overlay/once-opened.tsx';
import { TooltipLayer } from '#dashboard/components/overlay/tooltip.tsx';
import { TimeZoneContext } from '#dashboard/components/values/time-zone.ts';
import { lastUsedOrganization } from '#dashboard/current-organization/use-current-organization.ts';
import { rememberTimeZone, usePersonTimeZone } from '#dashboard/range/person-zone.ts';
import { parseRangeSearch } from '#dashboard/range/range.ts';
import type { User } from '#lambdas/accounts/sign-in/responses.ts';
import { type Opened, SearchButton, SearchLayer } from './palette/search-layer.tsx';
import { Brand, SidebarNavigation, SidebarTop } from './sidebar/sidebar.tsx';
import { UserMenu } from './sidebar/user-menu.tsx';
import { findOrganizationView } from './views.ts';

/** The frame around the views for signed-in users, which is there before the session is loaded. */
export function Shell() {
  const session = useQuery(signInSessionQuery);
  const personTimeZone = usePersonTimeZone();
  const { time_zone: linkTimeZone } = parseRangeSearch(useSearch({ strict: false }));
  const view = findOrganizationView(useMatches({ select: (matches) => matches.at(-1)?.fullPath }));
  useEffect(() => {
    if (session.data) rememberTimeZone(session.data);
  }, [session.data]);
  if (session.data) {
    return (
      <TimeZoneContext value={linkTimeZone ?? personTimeZone}>
        <Frame user={session.data.user}>
          <Outlet />
        </Frame>
      </TimeZoneContext>
    );
  }
  // Most probably still signed in: otherwise, the frame would only be seen before the sign-in.
  if (!session.isError && lastUsedOrganization() !== null) {
    return (
      <Frame user={null}>
        <PageSkeleton title={view?.title ?? productName} />
      </Frame>
    );
  }
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <h1 className="sr-only">{productName}</h1>
      <QueryStatus query={session} skeleton={<BrandMark className="size-11 animate-fade-in-late" />} />
    </main>
  );
}

interface FrameProps {
  /** Null while the session is loading. */
  user: User | null;
  children: ReactNode;
}

/** A sidebar on wide screens, icons on tablets, and a drawer on phones and tablets. */
function Frame({ user, children }: FrameProps) {
  const [opened, setOpened] = useState<Opened>(null);
  const showShortcuts = () => setOpened('shortcuts');
  return (
    <div className="min-h-dvh md:pl-14 lg:pl-62 print:pl-0">
      <a
        href="#content"
        className="fixed top-2 right-16 z-50 -translate-y-20 rounded-lg bg-primary px-3.5 py-2 font-medium text-on-primary focus:translate-y-0 print:hidden"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-20 flex h-14 items-center gap-1 px-2 md:hidden print:hidden">
        {/* An element of its own, since a filter on the header would confine the menu's backdrop to it. */}
        <div className="absolute inset-0 -z-10 border-b border-line bg-canvas/85 backdrop-blur-md" />
        <Drawer />
        <Brand />
        <div className="ml-auto flex items-center gap-1">
          <SearchButton look="header" onClick={() => setOpened('search')} />
          {user && <UserMenu user={user} look="header" onShowShortcuts={showShortcuts} />}
        </div>
      </header>
      <header className="fixed inset-y-0 left-0 z-20 hidden w-14 flex-col border-r border-line bg-canvas md:flex lg:w-62 print:hidden">
        <div className="flex shrink-0 flex-col gap-1 p-2">
          <div className="hidden justify-center md:max-lg:flex">
            <Drawer rail />
          </div>
          <SidebarTop rail />
          <SearchButton look="sidebar" onClick={() => setOpened('search')} />
        </div>
        <div className="flex-1 overflow-y-auto px-2 py-1 lg:px-3 short:py-0">
          <SidebarNavigation rail />
        </div>
        <div className="border-t border-line p-2 short:p-1">
          {user ? (
            <UserMenu user={user} look="sidebar" onShowShortcuts={showShortcuts} />
          ) : (
            <div className="h-13" />
          )}
        </div>
      </header>
      {user && <SearchLayer opened={opened} onOpen={setOpened} />}
      <main id="content" tabIndex={-1} className="outline-none">
        {children}
        <OfflineNotice />
        <TooltipLayer />
      </main>
    </div>
  );
}

const loadDrawer = () => loadCode(() => import('./sidebar/opened-drawer.tsx'));
const OpenedDrawer = lazyComponent(loadDrawer, 'OpenedDrawer');

/** The navigation with its titles, and the button that opens it. */
function Drawer({ rail = false }: { rail?: boolean }) {
  const trigger = (
    <IconButton label="Open navigation" title={rail ? 'Open navigation' : undefined}>
      <Menu aria-hidden />
    </IconButton>
  );
  return (
    <OnceTriggered trigger={trigger} popup="dialog" load={loadDrawer}>
      <OpenedDrawer trigger={trigger} top={(close) => <SidebarTop onNavigate={close} />}>
        {(close) => <SidebarNavigation onNavigate={close} />}
      </OpenedDrawer>
    </OnceTriggered>
  );
}
