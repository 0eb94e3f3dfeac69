import { ArrowRight, ChevronRight, FlaskConical } from 'lucide-react';
import { Fragment, useId, useState } from 'react';
import { Badge } from '#dashboard/components/badge.tsx';
import { Button } from '#dashboard/components/button.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { CopyButton } from '#dashboard/components/copying.tsx';
import { ChangeMenu } from '#dashboard/components/overlay/change-menu.tsx';
import { Time } from '#dashboard/components/values/time.tsx';
import type { RouteSummary } from '#lambdas/accounts/organizations/responses.ts';
import { defaultAttempts, routePrefix } from '#lambdas/routing/route.ts';
import { Activity } from './activity.tsx';
import { TargetTable } from './target-table.tsx';
import { modelOf, strategyWords } from './words.ts';

export interface RouteActions {
  /** Null for a route that no request can use. */
  test: (() => void) | null;
  /** Null if the user may not change it. */
  edit: { change: () => void; remove: () => void } | null;
}

interface RouteRowProps {
  route: RouteSummary;
  actions: RouteActions;
}

/** A route with its targets in order; with what they have done in the last hour when it is opened. */
export function RouteRow({ route, actions }: RouteRowProps) {
  const detailsId = useId();
  const [isOpen, setOpen] = useState(false);
  const model = modelOf(route);
  return (
    <li className="border-line not-first:border-t">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2 px-5 py-4">
        <div className="min-w-0 flex-1 basis-64">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <h2 className="flex min-w-0 items-center gap-1">
              <button
                type="button"
                aria-expanded={isOpen}
                aria-controls={isOpen ? detailsId : undefined}
                onClick={() => setOpen(!isOpen)}
                className="-ml-1 flex min-h-8 min-w-0 items-center gap-1.5 rounded-md pr-1 text-left"
              >
                <ChevronRight
                  aria-hidden
                  className={classNames(
                    'size-4 shrink-0 text-muted transition-[rotate]',
                    isOpen && 'rotate-90',
                  )}
                />
                <span className="min-w-0 wrap-anywhere">
                  <span className="text-muted">{routePrefix}</span>
                  <span className="font-medium">{route.name}</span>
                </span>
              </button>
              <CopyButton label={`Copy the name ${model}`} text={model} />
            </h2>
            <Badge>{strategyWords[route.strategy].title}</Badge>
            {route.owner === 'operator' && <Badge tone="accent">From the operator</Badge>}
            {route.overridden && <Badge tone="warning">Overridden</Badge>}
          </div>
          <TargetNames route={route} />
        </div>
        <div className="flex items-center gap-1">
          {actions.test && (
            <Button size="small" aria-label={`Test ${model}`} onClick={actions.test}>
              <FlaskConical aria-hidden />
              Test
            </Button>
          )}
          {actions.edit && <ChangeMenu label={`Actions for ${model}`} {...actions.edit} />}
        </div>
      </div>
      {isOpen && (
        <div id={detailsId} className="border-t border-line bg-canvas/60">
          <RouteDetails route={route} />
        </div>
      )}
    </li>
  );
}

/** The models alone, in their order. */
function TargetNames({ route: { targets } }: { route: RouteSummary }) {
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-1.5 gap-y-0.5 pl-4.5 text-[0.8125rem] text-muted">
      {targets.map(({ model }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two targets may have the same model
        <Fragment key={index}>
          {index > 0 && <ArrowRight aria-label="then" role="img" className="size-3.5 shrink-0" />}
          <span className="wrap-anywhere">{model}</span>
        </Fragment>
      ))}
    </p>
  );
}

function RouteDetails({ route }: { route: RouteSummary }) {
  const { owner, overridden: isOverridden, targets, attempts, changed_at: changedAt, strategy } = route;
  return (
    <>
      <p className="px-5 pt-4 text-[0.8125rem] text-muted">
        {isOverridden && 'A route of this organization with the same name is used in its place. '}
        {owner === 'operator' &&
          !isOverridden &&
          'A route of this organization with the same name would replace it. '}
        {strategyWords[strategy].description}{' '}
        {targets.length > 1 && `At most ${attempts} ${attempts === 1 ? 'target is' : 'targets are'} tried`}
        {targets.length > 1 && (attempts === defaultAttempts ? ' (the default). ' : '. ')}
        Changed <Time value={changedAt} focusable />.
      </p>
      {isOverridden ? <TargetTable route={route} activity={null} /> : <Activity route={route} />}
    </>
  );
}
