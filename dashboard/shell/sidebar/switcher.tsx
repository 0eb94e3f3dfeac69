import { Link, useMatches } from '@tanstack/react-router';
import { Check, ChevronsUpDown, Plus } from 'lucide-react';
import type { ComponentProps } from 'react';
import { OrganizationAvatar } from '#dashboard/components/avatar.tsx';
import { productName } from '#dashboard/components/brand.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { Menu, MenuLabel, MenuLink, MenuSeparator } from '#dashboard/components/overlay/menu.tsx';
import type { OrganizationList, OrganizationSummary } from '#lambdas/accounts/organizations/responses.ts';
import { viewAfterSwitch } from '../views.ts';
import { railHiddenClasses, railIconClasses, railTextClasses } from './rail.ts';

interface SwitcherProps {
  current: OrganizationSummary;
  organizations: OrganizationList;
  /** Called when an entry has been chosen, to close the drawer around it. */
  onNavigate?: () => void;
  /** Whether only the avatar is shown on tablets. */
  rail?: boolean;
}

/** The current organization, with a menu of the others that keeps the kind of view. */
export function Switcher({ current, organizations, onNavigate, rail = false }: SwitcherProps) {
  const path = useMatches({ select: (matches) => matches.at(-1)?.fullPath });
  return (
    <Menu width="wide" side="bottom" align="start" trigger={<Trigger organization={current} rail={rail} />}>
      <MenuLabel>Organizations</MenuLabel>
      <div className="-mx-1.5 max-h-80 overflow-y-auto px-1.5">
        {organizations.data.map((organization) => (
          <MenuLink
            key={organization.id}
            onClick={onNavigate}
            link={
              <Link
                to={viewAfterSwitch(path, organization.role)}
                params={{ organizationId: organization.id }}
                aria-current={organization.id === current.id ? 'true' : undefined}
              />
            }
          >
            <OrganizationAvatar organization={organization} />
            <span className="min-w-0 flex-1 py-1.5 wrap-anywhere">{organization.name}</span>
            {organization.id === current.id && <Check aria-hidden />}
          </MenuLink>
        ))}
      </div>
      {organizations.can_create && (
        <>
          <MenuSeparator />
          <MenuLink link={<Link to="/organizations/new" />} onClick={onNavigate}>
            <span className="flex size-6 items-center justify-center">
              <Plus aria-hidden />
            </span>
            Create organization
          </MenuLink>
        </>
      )}
    </Menu>
  );
}

function Trigger({
  organization,
  rail,
  ...props
}: { organization: OrganizationSummary; rail: boolean } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      {...props}
      // Only its avatar is seen on tablets, and a long one is cut.
      title={organization.name}
      className={classNames(
        'flex h-13 w-full items-center gap-2.5 rounded-lg px-2 text-left transition-colors hover:bg-hover data-popup-open:bg-hover short:h-11',
        rail && railIconClasses,
      )}
    >
      <OrganizationAvatar organization={organization} size="medium" />
      <span className={classNames('min-w-0 flex-1', rail && railTextClasses)}>
        <span className="sr-only">Organization: </span>
        <span className="block truncate font-semibold tracking-[-0.01em]">{organization.name}</span>
        <span aria-hidden className="block truncate text-xs text-muted">
          {productName}
        </span>
      </span>
      <ChevronsUpDown
        aria-hidden
        className={classNames('size-4 shrink-0 text-muted', rail && railHiddenClasses)}
      />
    </button>
  );
}
