/** The costs of a month by model, operation, service tier and API key. */
import type { ApiKey, Organization } from '#lambdas/access/directory.ts';
import { sumTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { compareUsd } from '#lambdas/platform/money.ts';
import { periodText } from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { CostLine, MonthCosts } from '#lambdas/reports/costs/month-costs.ts';
import { uncertainShare } from '#lambdas/request-log/uncertainty.ts';
import type { Statement, StatementTotals } from './responses.ts';

interface StatementSources {
  organization: Organization;
  month: TimeWindow;
  costs: MonthCosts;
  /** The keys in the lines, as far as they exist. */
  apiKeys: readonly ApiKey[];
}

export function toStatement({ organization, month, costs, apiKeys }: StatementSources): Statement {
  const { lines, completeUntilMs, isFinal } = costs;
  const keyNames = new Map(apiKeys.map(({ id, name }) => [id, name]));
  const keyOf = ({ apiKeyId }: CostLine) => ({
    api_key_name: keyNames.get(apiKeyId) ?? null,
    api_key_id: apiKeyId,
  });
  const modelOf = ({ provider, model }: CostLine) => ({ provider, model });
  return {
    month: periodText('month', month.startMs),
    start: new Date(month.startMs).toISOString(),
    end: new Date(month.endMs).toISOString(),
    final: isFinal,
    complete_until: new Date(completeUntilMs).toISOString(),
    organization: { id: organization.id, name: organization.name },
    totals: statementTotals(sumTotals(lines.map(({ totals }) => totals))),
    by_model: sumBy(lines, modelOf),
    by_key: sumBy(lines, keyOf),
    lines: sumBy(lines, (line) => ({
      ...modelOf(line),
      operation: line.operation,
      service_tier: line.serviceTier,
      ...keyOf(line),
    })),
  };
}

type Group = Readonly<Record<string, string | null>>;

/** The most expensive first, then in the alphabetical order of the group's fields. */
function sumBy<Names extends Group>(
  lines: readonly CostLine[],
  groupOf: (line: CostLine) => Names,
): (Names & StatementTotals)[] {
  const groups = new Map<string, { names: Names; totals: Totals[] }>();
  for (const line of lines) {
    const names = groupOf(line);
    const id = JSON.stringify(names);
    const found = groups.get(id);
    if (found === undefined) groups.set(id, { names, totals: [line.totals] });
    else found.totals.push(line.totals);
  }
  return [...groups.values()]
    .map(({ names, totals }) => ({ names, sum: statementTotals(sumTotals(totals)) }))
    .sort(
      (one, other) =>
        compareUsd(other.sum.cost_usd, one.sum.cost_usd) || compareNames(one.names, other.names),
    )
    .map(({ names, sum }) => ({ ...names, ...sum }));
}

function compareNames(one: Group, other: Group): number {
  for (const field of Object.keys(one)) {
    const [name, otherName] = [one[field] ?? '', other[field] ?? ''];
    if (name !== otherName) return name < otherName ? -1 : 1;
  }
  return 0;
}

function statementTotals(totals: Totals): StatementTotals {
  return {
    requests: totals.requests,
    input_tokens: totals.input_tokens,
    output_tokens: totals.output_tokens,
    cost_usd: totals.cost_usd,
    unpriced_requests: totals.unpriced_requests,
    assumed_requests: totals.assumed_requests,
    assumed_cost_usd: totals.assumed_cost_usd,
    estimated_requests: totals.estimated_requests,
    estimated_cost_usd: totals.estimated_cost_usd,
    uncertain_cost_share: uncertainShare(totals),
  };
}
