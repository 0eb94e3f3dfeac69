import { ChevronRight } from 'lucide-react';
import { useId } from 'react';
import { Badge } from '#dashboard/components/badge.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { CopyButton } from '#dashboard/components/copying.tsx';
import { operationTitles } from '#dashboard/components/request/operation.ts';
import { mainTypes, rateTitle, tokenPrice } from '#dashboard/components/values/rates.ts';
import type { ModelPrice, ModelSummary } from '#lambdas/accounts/analytics/responses.ts';
import { ModelDetails } from './model-details.tsx';
import { sinceDate, sourceTitle } from './origin.ts';

interface ModelRowProps {
  model: ModelSummary;
  /** In the table, from 1. */
  rowIndex: number;
  expanded: boolean;
  onToggle: () => void;
}

/** The name and main prices of a model; all of them when it is expanded. */
export function ModelRow({ model, rowIndex, expanded, onToggle }: ModelRowProps) {
  const detailsId = useId();
  const [standard] = model.prices;
  return (
    <>
      <tr
        aria-rowindex={rowIndex}
        className="relative grid grid-cols-[repeat(4,auto)] justify-between gap-x-2 gap-y-2 px-5 py-3 @[47rem]:table-row @[47rem]:h-14 @[47rem]:p-0"
      >
        <th
          scope="row"
          className="col-span-4 flex items-center gap-1 font-normal @[47rem]:table-cell @[47rem]:pr-2 @[47rem]:pl-3"
        >
          <span className="flex min-w-0 flex-1 items-center gap-1">
            <button
              type="button"
              aria-expanded={expanded}
              aria-controls={expanded ? detailsId : undefined}
              onClick={onToggle}
              className="flex min-h-8 min-w-0 items-center gap-1.5 rounded-md pr-1 text-left after:absolute after:inset-0"
            >
              <ChevronRight
                aria-hidden
                className={classNames(
                  'size-4 shrink-0 text-muted transition-[rotate]',
                  expanded && 'rotate-90',
                )}
              />
              <ModelName model={model} />
            </button>
            <span className="relative z-1">
              <CopyButton label={`Copy the name ${model.id}`} text={model.id} />
            </span>
            {model.operations.includes('embeddings') && <Badge>{operationTitles.embeddings}</Badge>}
            {!model.set_up && (
              <span className="hidden @[47rem]:inline-flex">
                <Badge>Not set up</Badge>
              </span>
            )}
          </span>
        </th>
        {standard ? <PriceCells price={standard} isSetUp={model.set_up} /> : <NoPriceCell />}
      </tr>
      {expanded && (
        <tr id={detailsId} className="block @[47rem]:table-row">
          <td colSpan={6} className="block @[47rem]:table-cell">
            <ModelDetails model={model} />
          </td>
        </tr>
      )}
    </>
  );
}

function ModelName({ model: { id, provider } }: { model: ModelSummary }) {
  return (
    <span className="min-w-0 wrap-anywhere">
      <span className="text-muted">{provider}/</span>
      <wbr />
      <span className="font-medium">{id.slice(provider.length + 1)}</span>
    </span>
  );
}

function PriceCells({ price, isSetUp }: { price: ModelPrice; isSetUp: boolean }) {
  return (
    <>
      {mainTypes.map((type) => (
        <td
          key={type}
          className="flex flex-col tabular-nums @[47rem]:table-cell @[47rem]:px-4 @[47rem]:text-right"
        >
          <span aria-hidden className="text-xs whitespace-nowrap text-muted @[47rem]:hidden">
            {rateTitle(type)}
          </span>
          {tokenPrice(price, type) ?? <span className="text-muted">–</span>}
        </td>
      ))}
      <td className="col-span-4 flex items-center gap-2 text-[0.8125rem] @[47rem]:table-cell @[47rem]:pr-5 @[47rem]:pl-4">
        <span className="text-muted @[47rem]:block @[47rem]:text-text">
          {sourceTitle(price)}
          {price.assumed && (
            <span className="ml-2">
              <Badge tone="warning">Assumed</Badge>
            </span>
          )}
        </span>
        <span className="text-muted @[47rem]:block @[47rem]:text-xs">
          {price.since === null ? 'always' : `since ${sinceDate(price.since)}`}
        </span>
        {!isSetUp && (
          <span className="ml-auto @[47rem]:hidden">
            <Badge>Not set up</Badge>
          </span>
        )}
      </td>
    </>
  );
}

function NoPriceCell() {
  return (
    <td
      colSpan={5}
      className="col-span-4 text-muted @[47rem]:table-cell @[47rem]:px-4 @[47rem]:pr-5 @[47rem]:text-right"
    >
      No known price: requests count as $0.00
    </td>
  );
}
