import { Link } from '@tanstack/react-router';
import { CircleAlert, Compass } from 'lucide-react';
import { Button, buttonClasses } from '#dashboard/components/button.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Card } from '#dashboard/components/section.tsx';

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

/** Shown when a view's code fails or cannot be loaded, such as after an update or without a connection. */
export function ViewFailed() {
  return (
    <Page title="Something went wrong">
      <Card>
        <EmptyState
          icon={CircleAlert}
          title="This page could not be shown"
          action={<Button onClick={() => location.reload()}>Reload</Button>}
        >
          The dashboard may have been updated, or the connection was lost. Reload the page to continue.
        </EmptyState>
      </Card>
    </Page>
  );
}
