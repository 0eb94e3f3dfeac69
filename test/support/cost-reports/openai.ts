/** `GET /organization/costs` of https://github.com/openai/openai-openapi */
import { type CostReportServer, startCostReportServer } from './server.ts';

export interface OpenAiCost {
  /** `YYYY-MM-DD` */
  day: string;
  line_item: string;
  /** Dollars: a JSON number as text, or text in quotes, since the API sends both. */
  value: string;
  project_id?: string | null;
}

/** The report has the costs of the array at the time of each request. */
export function startOpenAiCosts(costs: readonly OpenAiCost[]): Promise<CostReportServer> {
  return startCostReportServer(
    {
      path: '/v1/organization/costs',
      refuse: ({ authorization }, key) =>
        authorization === `Bearer ${key}` ? null : `Incorrect API key provided: ${authorization}`,
      parameters: {
        start_time: /^\d+$/,
        end_time: /^\d+$/,
        bucket_width: /^1d$/,
        'group_by[]': /^(line_item|project_id|api_key_id)$/,
        'project_ids[]': /^proj_/,
        limit: /^[1-9]\d*$/,
        page: /^page_\d+$/,
      },
      required: ['start_time'],
      maxLimit: 180,
      period: (query) => ({
        startMs: Number(query.get('start_time')) * 1000,
        endMs: Number(query.get('end_time')) * 1000,
      }),
      bucket: ({ startMs, endMs }, query) => openAiBucket(costs, startMs, endMs, query),
      error: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
    },
    'sk-admin-0123456789abcdef',
  );
}

function openAiBucket(costs: readonly OpenAiCost[], startMs: number, endMs: number, query: URLSearchParams) {
  const groups = query.getAll('group_by[]');
  const projects = query.getAll('project_ids[]');
  const day = new Date(startMs).toISOString().slice(0, 10);
  return {
    object: 'bucket',
    start_time: startMs / 1000,
    end_time: endMs / 1000,
    results: costs
      .map(({ project_id = 'proj_gateway', ...cost }) => ({ ...cost, project_id }))
      .filter((cost) => cost.day === day)
      .filter(({ project_id }) => projects.length === 0 || projects.includes(project_id ?? ''))
      .map(({ line_item, value, project_id }) => ({
        object: 'organization.costs.result',
        amount: { value: JSON.rawJSON(value), currency: 'usd' },
        line_item: groups.includes('line_item') ? line_item : null,
        project_id: groups.includes('project_id') ? project_id : null,
        api_key_id: null,
        quantity: JSON.rawJSON('0.0'),
        organization_name: 'Example',
      })),
  };
}
