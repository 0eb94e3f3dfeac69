import { Link } from '@tanstack/react-router';
import { CircleAlert, Compass } from 'lucide-react';
import { useEffect } from 'react';
import { Button, buttonClasses } from '#dashboard/components/button.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { isLoadFailure, isReachable } from '#dashboard/components/load-code.ts';
import { Page } from '#dashboard/components/page.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { minuteMs, secondMs } from '#lambdas/platform/duration.ts';

export function NotFound() {
  return (
    <Page title="Page not found">
      <Card>
        <EmptyState
          icon={Compass}
          title="There is nothing at this address"
          action={
            <Link to="/" className={buttonClasses()}>
              Go to the start
            </Link>
          }
        >
          Check the address for mistakes. The page may also have moved.
        </EmptyState>
      </Card>
    </Page>
  );
}

/** Not more often: the new code may be as faulty as the old one. */
const minReloadMs = minuteMs;
const reloadKey = 'reloaded-at';

/**
 * Shown when a view's code fails or cannot be loaded, such as after an update or without a connection. Code that is missing
 * is loaded again by itself when the gateway can be reached.
 */
export function ViewFailed({ error }: { error: unknown }) {
  const isMissing = isLoadFailure(error);
  useEffect(() => {
    if (!isMissing) return;
    const reload = async () => {
      const lastReloadMs = Number(sessionStorage.getItem(reloadKey) ?? 0);
      if (Date.now() - lastReloadMs < minReloadMs || !(await isReachable())) return;
      sessionStorage.setItem(reloadKey, String(Date.now()));
      location.reload();
    };
    void reload();
    const interval = setInterval(reload, 10 * secondMs);
    addEventListener('online', reload);
    return () => {
      clearInterval(interval);
      removeEventListener('online', reload);
    };
  }, [isMissing]);
  return (
    <Page title="Something went wrong">
      <Card>
        <EmptyState
          icon={CircleAlert}
          title="This page could not be shown"
          action={<Button onClick={() => location.reload()}>Reload</Button>}
        >
          {isMissing
            ? 'The dashboard may have been updated, or the connection was lost. The page reloads by itself when the gateway can be reached.'
            : 'Reload the page to continue. If this happens again, tell the operator of the gateway.'}
        </EmptyState>
      </Card>
    </Page>
  );
}
