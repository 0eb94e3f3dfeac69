import { Link, type LinkProps } from '@tanstack/react-router';
import {
  Boxes,
  Building2,
  ChartNoAxesColumn,
  Fingerprint,
  Gauge,
  KeyRound,
  LayoutDashboard,
  List,
  type LucideIcon,
  MessagesSquare,
  MonitorSmartphone,
  ReceiptText,
  ScrollText,
  Settings,
  SquareTerminal,
  UserRound,
  UsersRound,
  Waypoints,
} from 'lucide-react';
import { classNames } from '#dashboard/components/class-names.ts';
import { parseRangeSearch } from '#dashboard/range/range.ts';
import type { OrganizationSummary } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { type OrganizationView, type OrganizationViewPath, organizationViews } from '../views.ts';
import { OnRail } from './on-rail.tsx';
import { railIconClasses, railTextClasses } from './rail.ts';

interface NavigationItem extends Pick<LinkProps, 'to' | 'params' | 'search'> {
  title: string;
  icon: LucideIcon;
}

interface NavigationGroup {
  title: string;
  items: NavigationItem[];
}

const organizationIcons: Record<OrganizationViewPath, LucideIcon> = {
  '/organizations/$organizationId/overview': LayoutDashboard,
  '/organizations/$organizationId/usage': ChartNoAxesColumn,
  '/organizations/$organizationId/logs': List,
  '/organizations/$organizationId/prompts': SquareTerminal,
  '/organizations/$organizationId/sessions': MessagesSquare,
  '/organizations/$organizationId/models': Boxes,
  '/organizations/$organizationId/billing': ReceiptText,
  '/organizations/$organizationId/keys': KeyRound,
  '/organizations/$organizationId/budgets': Gauge,
  '/organizations/$organizationId/routes': Waypoints,
  '/organizations/$organizationId/members': UsersRound,
  '/organizations/$organizationId/audit-trail': ScrollText,
  '/organizations/$organizationId/settings': Settings,
};

const groups = ['Analytics', 'Keys', 'Organization'] as const satisfies readonly OrganizationView['group'][];

const accountGroup: NavigationGroup = {
  title: 'Your account',
  items: [
    { to: '/account', title: 'Profile', icon: UserRound },
    { to: '/account/security', title: 'Security', icon: Fingerprint },
    { to: '/account/sessions', title: 'Sign-ins', icon: MonitorSmartphone },
  ],
};

const welcomeGroup: NavigationGroup = {
  title: 'Organization',
  items: [{ to: '/welcome', title: 'Get started', icon: Building2 }],
};

interface NavigationProps {
  /** Null for people without an organization, `undefined` if it is not known. */
  organization: OrganizationSummary | null | undefined;
  /** Called when a link has been chosen, to close the drawer around it. */
  onNavigate?: () => void;
  /** Whether only icons are shown on tablets. */
  rail?: boolean;
}

export function Navigation({ organization, onNavigate, rail = false }: NavigationProps) {
  return (
    <nav
      aria-label="Main"
      className={classNames('flex flex-col gap-6 short:gap-2.5', rail && 'md:max-lg:gap-2.5')}
    >
      {navigationGroups(organization).map((group) => (
        <div key={group.title}>
          <p
            className={classNames(
              'px-2.5 pb-1.5 text-xs font-medium text-muted short:pb-0.5',
              rail && railTextClasses,
            )}
          >
            {group.title}
          </p>
          <ul className="flex flex-col gap-0.5">
            {group.items.map(({ to, params, search, title, icon: Icon }) => (
              <li key={title}>
                <OnRail rail={rail} title={title}>
                  <Link
                    to={to}
                    params={params}
                    search={search}
                    onClick={onNavigate}
                    activeOptions={{ exact: to === '/account', includeSearch: false }}
                    className={classNames(
                      'group flex h-9 items-center gap-2.5 rounded-lg px-2.5 font-medium text-muted transition-colors hover:bg-hover hover:text-text aria-[current=page]:bg-selected aria-[current=page]:text-text md:h-8 short:h-7',
                      rail && railIconClasses,
                    )}
                  >
                    <Icon aria-hidden className="size-4 shrink-0" strokeWidth={1.9} />
                    <span className={rail ? railTextClasses : undefined}>{title}</span>
                  </Link>
                </OnRail>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function navigationGroups(organization: OrganizationSummary | null | undefined): NavigationGroup[] {
  if (organization === undefined) return [accountGroup];
  if (organization === null) return [welcomeGroup, accountGroup];
  const { id: organizationId, role } = organization;
  const itemsOf = (group: OrganizationView['group']) =>
    organizationViews
      .filter((view) => view.group === group && isAllowed(role, view.permission))
      .map(({ to, title, hasRange }) => ({
        to,
        title,
        params: { organizationId },
        icon: organizationIcons[to],
        search: hasRange ? parseRangeSearch : undefined,
      }));
  return [...groups.map((title) => ({ title, items: itemsOf(title) })), accountGroup];
}
