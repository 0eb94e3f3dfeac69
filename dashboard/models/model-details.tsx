import { Badge } from '#dashboard/components/badge.tsx';
import { formatCompact } from '#dashboard/components/values/number-format.ts';
import {
  type PriceColumn,
  priceTableOf,
  rateTitle,
  rateUnit,
  tierTitle,
} from '#dashboard/components/values/rates.ts';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import type { ModelSummary } from '#lambdas/accounts/analytics/responses.ts';
import { ChangePrice } from './change-price.tsx';
import { originsOf } from './origin.ts';
import { PriceHistory } from './price-history.tsx';
import { PriceSource } from './price-source.tsx';
import { ProviderSetUp } from './provider-command.tsx';

/** All prices of a model, and where they are from. */
export function ModelDetails({ model }: { model: ModelSummary }) {
  const [standard] = model.prices;
  return (
    <div className="flex flex-col gap-4 px-5 pt-1 pb-5 @[47rem]:pl-9">
      {standard && <PriceSource model={model} price={standard} />}
      {!model.set_up && <ProviderSetUp provider={model.provider} />}
      {standard ? (
        <>
          <PriceTable model={model} />
          <Origins model={model} />
        </>
      ) : (
        <p className="text-muted">The gateway knows no price of this model: its requests count as $0.00.</p>
      )}
      <PriceHistory model={model} />
      <ChangePrice model={model} />
    </div>
  );
}

function PriceTable({ model: { id, prices } }: { model: ModelSummary }) {
  const { columns, rows } = priceTableOf(prices);
  return (
    <section
      aria-label={`All prices of ${id}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-lg border border-line bg-canvas"
    >
      <table className="w-full text-[0.8125rem]">
        <thead>
          <tr>
            <th scope="col" className="px-3 py-2 text-left text-xs font-medium text-muted">
              US dollars per million tokens
            </th>
            {columns.map((column) => (
              <th
                key={`${column.tier}/${column.aboveTokens}`}
                scope="col"
                className="px-3 py-2 text-right align-bottom font-medium whitespace-nowrap"
              >
                <ColumnTitle column={column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ type, per, assumed, prices: amounts }) => (
            <tr key={type} className="border-t border-line">
              <th scope="row" className="px-3 py-1.5 text-left font-normal whitespace-nowrap">
                {rateTitle(type)}
                <span className="text-muted"> {rateUnit({ type, per })}</span>
                {assumed && (
                  <span className="ml-2">
                    <Badge tone="warning">Assumed</Badge>
                  </span>
                )}
              </th>
              {columns.map((column, index) => (
                <td
                  key={`${column.tier}/${column.aboveTokens}`}
                  className="px-3 py-1.5 text-right whitespace-nowrap tabular-nums"
                >
                  {amounts[index] ? formatExactUsd(amounts[index]) : <span className="text-muted">–</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function ColumnTitle({ column: { tier, aboveTokens } }: { column: PriceColumn }) {
  return (
    <>
      {tierTitle(tier)}
      {aboveTokens !== null && (
        <span className="block text-xs font-normal text-muted">above {formatCompact(aboveTokens)} input</span>
      )}
    </>
  );
}

function Origins({ model: { prices } }: { model: ModelSummary }) {
  const origins = originsOf(prices);
  // One without doubt is stated above.
  if (origins.length === 1 && origins[0]?.assumed === false) return null;
  return (
    <ul className="flex flex-col gap-1 text-[0.8125rem] text-muted">
      {origins.map(({ tiers, text, assumed }) => (
        <li key={`${tiers.join()}${text}`}>
          {origins.length > 1 && <span className="text-text">{tiers.map(tierTitle).join(', ')}: </span>}
          {text}
          {assumed && (
            <>
              {' '}
              <Badge tone="warning">Assumed</Badge> The provider's invoice may differ.
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
