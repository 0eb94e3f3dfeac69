/** The public API of a local gateway, with whose figures those of the dashboard are compared. Amounts are text. */
import type { BilledPart, CostTotals, ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { addUsd } from '#lambdas/platform/money.ts';
import type { LocalGateway } from '#local/local-gateway.ts';
import { parseAmounts } from '../exact-amounts.ts';

type Totals = Omit<CostTotals, 'mean_cost_usd' | 'rejected_requests'>;

/** With the field by which the report is grouped. */
export type ApiGroup = Totals & { model?: string; user_id?: string };

interface Groups {
  groups: ApiGroup[];
  other: (Totals & { groups: number }) | null;
}

interface ApiReport extends Groups, Omit<Totals, 'requests' | 'cost_usd'> {
  total_requests: number;
  total_cost_usd: string;
  total_input_tokens: number;
  total_output_tokens: number;
  window: { start: string; end: string };
  series: (Groups & Totals & { start: string; end: string })[];
}

interface ApiEntry extends ListedLogEntry {
  cost_breakdown: BilledPart[];
}

export interface PublicApi {
  costs(parameters: Record<string, string>): Promise<ApiReport>;
  /** At most 1,000. */
  logs(parameters: Record<string, string>): Promise<ListedLogEntry[]>;
  log(id: string): Promise<ApiEntry>;
}

/** Uses the key of the demo organization. */
export function publicApi({ baseUrl, connection }: LocalGateway): PublicApi {
  const read = async <Body>(path: string): Promise<Body> => {
    const headers = { authorization: `Bearer ${connection.api_key}` };
    const response = await fetch(`${baseUrl}/api${path}`, { headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`GET ${path}: ${text}`);
    return parseAmounts<Body>(text);
  };
  return {
    costs: (parameters) => read(`/costs?${new URLSearchParams(parameters)}`),
    async logs(parameters) {
      const query = new URLSearchParams({ ...parameters, limit: '1000' });
      return (await read<{ data: ListedLogEntry[] }>(`/logs?${query}`)).data;
    },
    log: (id) => read(`/logs/${id}`),
  };
}

export function sumUsd(amounts: readonly (string | null | undefined)[]): string {
  return amounts.reduce<string>((total, amount) => addUsd(total, amount ?? ''), '0');
}
