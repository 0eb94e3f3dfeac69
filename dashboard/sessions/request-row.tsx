import { Link } from '@tanstack/react-router';
import type { Ref } from 'react';
import { classNames } from '#dashboard/components/class-names.ts';
import { EntryCost } from '#dashboard/components/request/entry-cost.tsx';
import { outcomeLooks } from '#dashboard/components/request/outcome.ts';
import { StatusCode } from '#dashboard/components/request/status-code.tsx';
import { formatCount, formatDuration } from '#dashboard/components/values/number-format.ts';
import { secondsFormat } from '#dashboard/components/values/time-format.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { UncertainSum } from '#dashboard/metrics/uncertainty.ts';
import { UncertaintyMark } from '#dashboard/metrics/uncertainty-mark.tsx';
import type { CallerSessionRequest } from '#lambdas/accounts/analytics/responses.ts';

interface RequestRowProps {
  rowRef: Ref<HTMLTableRowElement>;
  /** In the session, from 0. */
  index: number;
  request: CallerSessionRequest;
  /** The uncertain part of the cumulative cost. */
  uncertain: UncertainSum;
  timeZone: string;
}

const cell = '@[54rem]:table-cell @[54rem]:border-t @[54rem]:border-line @[54rem]:px-3';
const numberCell = `text-right whitespace-nowrap tabular-nums ${cell}`;

/** On narrow screens, a request is a block of three lines. */
export function RequestRow({ rowRef, index, request, uncertain, timeZone }: RequestRowProps) {
  const { id: organizationId } = useOrganization();
  const { model, input_tokens: input, output_tokens: output, latency_ms: latency } = request;
  const { cost_usd: cost, cumulative_cost_usd: cumulative } = request;
  const time = secondsFormat(timeZone).format(new Date(request.created_at));
  return (
    <tr
      ref={rowRef}
      data-index={index}
      aria-rowindex={index + 2}
      className={classNames(
        'grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 border-line px-5 py-3.5 @[54rem]:table-row @[54rem]:h-11 @[54rem]:p-0',
        index > 0 && 'border-t',
      )}
    >
      <td className={`hidden text-muted @[54rem]:pl-5 ${numberCell}`}>{formatCount(index + 1)}</td>
      <th scope="row" className={`block text-left font-medium whitespace-nowrap tabular-nums ${cell}`}>
        <Link
          to="/organizations/$organizationId/logs/$logId"
          params={{ organizationId, logId: request.id }}
          className="rounded-sm underline-offset-3 hover:underline"
        >
          {time}
        </Link>
      </th>
      <td className={`col-start-1 block min-w-0 truncate ${cell}`} title={model ?? undefined}>
        {model ?? <span className="text-muted">No model</span>}
      </td>
      <td className={`col-start-2 row-start-2 block text-right @[54rem]:text-left ${cell}`}>
        <Status request={request} />
      </td>
      <td className="col-start-1 block text-[0.8125rem] text-muted tabular-nums @[54rem]:hidden">
        {tokens(input, 'in')}
        {tokens(output, 'out')}
        {formatDuration(latency)}
      </td>
      <td className={`hidden ${numberCell}`}>{input === null ? '–' : formatCount(input)}</td>
      <td className={`hidden ${numberCell}`}>{output === null ? '–' : formatCount(output)}</td>
      <td className={`hidden ${numberCell}`}>{formatDuration(latency)}</td>
      <td className={`col-start-2 row-start-1 block ${numberCell}`}>
        <EntryCost entry={request}>
          <Usd amount={cost} />
        </EntryCost>
      </td>
      <td
        className={`col-start-2 row-start-3 block text-[0.8125rem] text-muted @[54rem]:pr-5 @[54rem]:text-sm ${numberCell}`}
      >
        <span className="@[54rem]:hidden">total </span>
        <span className="inline-flex items-baseline gap-1">
          <UncertaintyMark sum={uncertain} isPassive />
          <Usd amount={cumulative} />
        </span>
      </td>
    </tr>
  );
}

function tokens(count: number | null, direction: 'in' | 'out'): string {
  return count === null ? '' : `${formatCount(count)} ${direction} · `;
}

/** The HTTP status of the response, and the outcome where the status alone would not tell it. */
function Status({ request }: { request: CallerSessionRequest }) {
  const { title } = outcomeLooks[request.outcome];
  return (
    <span className="inline-flex max-w-full items-center gap-1.5" title={title}>
      <StatusCode entry={request} />
      {request.outcome !== 'completed' && (
        <span aria-hidden className="hidden truncate text-[0.8125rem] text-muted @[54rem]:inline">
          {title}
        </span>
      )}
    </span>
  );
}
