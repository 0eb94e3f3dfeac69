import { CircleAlert } from 'lucide-react';
import { Button } from '#dashboard/components/button.tsx';
import { Card } from '#dashboard/components/card.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { Page } from '#dashboard/components/page.tsx';

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
