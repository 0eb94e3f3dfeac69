import type { ReactNode } from 'react';
import { CopyField } from '#dashboard/components/copying.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { ModelSummary } from '#lambdas/accounts/analytics/responses.ts';
import { hasOtherPrices, priceCommand } from './price-pages.ts';

/** The command that changes the price of a model, for whoever can run it. */
export function ChangePrice({ model: { id, prices } }: { model: ModelSummary }) {
  const { id: organizationId } = useOrganization();
  const [standard] = prices;
  return (
    <div className="flex max-w-3xl flex-col gap-2">
      <h2 className="font-medium">{prices.length === 0 ? 'Set a price' : 'Change the price'}</h2>
      <p className="text-[0.8125rem] text-muted">
        The person who operates the gateway runs this command, with the new prices of a million tokens. They
        hold from 70 seconds later on for all organizations; with <Code>--organization {organizationId}</Code>{' '}
        for this one alone. For a deployed gateway, it needs <Code>--stack NAME</Code> as well.
        {standard && hasOtherPrices(standard) && (
          <>
            {' '}
            It would end the other prices, of long inputs or other kinds of tokens:{' '}
            <Code>price import FILE</Code> sets all of them.
          </>
        )}
      </p>
      <CopyField label={`Command to set the price of ${id}`} hiddenLabel text={priceCommand(id, standard)} />
    </div>
  );
}

function Code({ children }: { children: ReactNode }) {
  return <code className="font-mono text-[0.8125rem] text-text wrap-anywhere">{children}</code>;
}
