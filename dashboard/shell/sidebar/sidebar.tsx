import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { organizationListQuery } from '#dashboard/api/organizations.ts';
import { BrandMark, productName } from '#dashboard/components/brand.tsx';
import { Button } from '#dashboard/components/button.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { useCurrentOrganization } from '#dashboard/current-organization/use-current-organization.ts';
import { Navigation } from './navigation.tsx';
import { railHiddenClasses, railTextClasses } from './rail.ts';
import { Switcher } from './switcher.tsx';

interface SidebarProps {
  /** Called when a link has been chosen, to close the drawer around it. */
  onNavigate?: () => void;
  /** Whether only icons are shown on tablets, where the sidebar would take a third of the width. */
  rail?: boolean;
}

/** The switcher of organizations; the product's name for people without any. */
export function SidebarTop({ onNavigate, rail = false }: SidebarProps) {
  const organizations = useQuery(organizationListQuery);
  const current = useCurrentOrganization();
  if (organizations.isPending) {
    return (
      <div aria-hidden className="flex h-13 items-center gap-2.5 px-1 lg:px-2">
        <Skeleton className="size-8" />
        <Skeleton className={classNames('h-4 w-28', rail && railHiddenClasses)} />
      </div>
    );
  }
  if (!organizations.data || !current) return <Brand rail={rail} />;
  return (
    <Switcher current={current} organizations={organizations.data} onNavigate={onNavigate} rail={rail} />
  );
}

export function Brand({ rail = false }: { rail?: boolean }) {
  return (
    <Link
      to="/"
      className="flex h-13 items-center gap-2.5 rounded-lg px-2 text-[0.9375rem] font-semibold tracking-[-0.01em]"
    >
      <BrandMark className="size-6.5" />
      <span className={rail ? railTextClasses : undefined}>{productName}</span>
    </Link>
  );
}

/** The navigation below the switcher. */
export function SidebarNavigation({ onNavigate, rail = false }: SidebarProps) {
  const organizations = useQuery(organizationListQuery);
  const current = useCurrentOrganization();
  if (organizations.isPending) return <NavigationSkeleton rail={rail} />;
  return (
    <>
      {organizations.isError && organizations.data === undefined && (
        <div role="alert" className="mb-6 flex flex-col items-start gap-2 px-2.5 text-[0.8125rem] text-muted">
          <p className={rail ? railTextClasses : undefined}>Your organizations could not be loaded.</p>
          <Button size="small" pending={organizations.isFetching} onClick={() => organizations.refetch()}>
            Try again
          </Button>
        </div>
      )}
      <Navigation organization={current} onNavigate={onNavigate} rail={rail} />
    </>
  );
}

function NavigationSkeleton({ rail }: { rail: boolean }) {
  return (
    <div aria-busy="true" className="flex flex-col gap-6">
      {['w-24', 'w-28', 'w-20'].map((width) => (
        <div
          key={width}
          className={classNames(
            'flex flex-col gap-3.5 px-2.5 pt-1',
            rail && 'md:max-lg:px-0.5 md:max-lg:*:w-full',
          )}
        >
          <Skeleton className="h-3 w-12" />
          <Skeleton className={`h-4 ${width}`} />
          <Skeleton className="h-4 w-16" />
        </div>
      ))}
      <span className="sr-only">Loading…</span>
    </div>
  );
}
