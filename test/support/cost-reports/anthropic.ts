/** https://platform.claude.com/docs/en/api/admin/cost_report */
import { type CostReportServer, startCostReportServer } from './server.ts';

export interface AnthropicCost {
  /** `YYYY-MM-DD` */
  day: string;
  description: string;
  model?: string;
  /** Cents. */
  amount: string;
  /** `null` for the default workspace. */
  workspace_id?: string | null;
}

/** The report has the costs of the array at the time of each request. */
export function startAnthropicCosts(costs: readonly AnthropicCost[]): Promise<CostReportServer> {
  return startCostReportServer(
    {
      path: '/v1/organizations/cost_report',
      refuse: (headers, key) =>
        headers['x-api-key'] === key && headers['anthropic-version'] === '2023-06-01'
          ? null
          : 'invalid x-api-key',
      parameters: {
        starting_at: /^\d{4}-\d{2}-\d{2}T/,
        ending_at: /^\d{4}-\d{2}-\d{2}T/,
        bucket_width: /^1d$/,
        'group_by[]': /^(description|workspace_id)$/,
        limit: /^[1-9]\d*$/,
        page: /^page_\d+$/,
      },
      required: ['starting_at'],
      maxLimit: 31,
      period: (query) => ({
        startMs: Date.parse(query.get('starting_at') ?? ''),
        endMs: Date.parse(query.get('ending_at') ?? ''),
      }),
      bucket: ({ startMs, endMs }, query) => anthropicBucket(costs, startMs, endMs, query),
      error: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
    },
    'sk-ant-admin01-0123456789abcdef',
  );
}

function anthropicBucket(
  costs: readonly AnthropicCost[],
  startMs: number,
  endMs: number,
  query: URLSearchParams,
) {
  const groups = query.getAll('group_by[]');
  const isDescribed = groups.includes('description');
  const starting_at = new Date(startMs).toISOString();
  return {
    starting_at: starting_at.replace('.000', ''),
    ending_at: new Date(endMs).toISOString().replace('.000', ''),
    results: costs
      .filter(({ day }) => starting_at.startsWith(day))
      .map(({ description, model = null, amount, workspace_id = null }) => ({
        amount,
        currency: 'USD',
        cost_type: isDescribed ? (model === null ? 'a_new_cost_type' : 'tokens') : null,
        context_window: isDescribed && model !== null ? '0-200k' : null,
        description: isDescribed ? description : null,
        model: isDescribed ? model : null,
        service_tier: isDescribed && model !== null ? 'standard' : null,
        token_type: null,
        workspace_id: groups.includes('workspace_id') ? workspace_id : null,
      })),
  };
}
