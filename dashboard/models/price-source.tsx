import { ExternalLink } from 'lucide-react';
import { Fact } from '#dashboard/components/facts.tsx';
import { Time } from '#dashboard/components/values/time.tsx';
import type { ModelPrice, ModelSummary, PriceVersion } from '#lambdas/accounts/analytics/responses.ts';
import { sinceDate, sourceText } from './origin.ts';
import { pricePageOf } from './price-pages.ts';

/** Where the standard price of a model is from, since when it holds, and by whom it was set. */
export function PriceSource({ model, price }: { model: ModelSummary; price: ModelPrice }) {
  const version = versionOf(model, price);
  const page = pricePageOf(model.provider);
  return (
    <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-3">
      <Fact label="Valid since">
        {price.since === null ? sinceAlways[price.source] : sinceDate(price.since)}
      </Fact>
      <Fact label="Source">
        {sourceText(price)}
        {price.source === 'table' && page !== null && (
          <a
            href={page}
            target="_blank"
            rel="noreferrer"
            className="mt-0.5 flex items-center gap-1 rounded-sm text-[0.8125rem] text-accent underline-offset-3 hover:underline"
          >
            Prices of {model.provider}
            <ExternalLink aria-label="(opens a new tab)" className="size-3.5" />
          </a>
        )}
      </Fact>
      <Fact label="Set by">
        {price.source === 'table' ? (
          'The gateway’s own price table'
        ) : version?.set_by && version.set_at ? (
          <>
            <span className="wrap-anywhere">{version.set_by}</span>
            <span className="block text-[0.8125rem] text-muted">
              <Time value={version.set_at} focusable />
            </span>
          </>
        ) : (
          'An operator'
        )}
      </Fact>
    </dl>
  );
}

const sinceAlways: Record<ModelPrice['source'], string> = {
  organization: 'Always',
  all_organizations: 'Always',
  configuration: 'Since the setting was deployed',
  table: 'Always: no other price of it is known',
};

/** The stored version that applies. */
function versionOf({ versions }: ModelSummary, price: ModelPrice): PriceVersion | undefined {
  return versions.find(
    ({ source, tier, from }) => source === price.source && tier === price.tier && from === price.since,
  );
}
