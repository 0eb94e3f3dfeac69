import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { buttonClasses } from '#dashboard/components/button.tsx';
import { Card } from '#dashboard/components/card.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { Page } from '#dashboard/components/page.tsx';

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
