/** Statements of UTC months, and the projection of the current one. */

import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { maxResponseBytes } from '#lambdas/platform/http/payload-limits.ts';
import { readQueryParameters } from '#lambdas/platform/http/query.ts';
import { endOfPeriod, parsePeriodText } from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { readMonthCosts, statementRemedy } from '#lambdas/reports/costs/month-costs.ts';
import { type DashboardResponse, jsonResponse } from '../http/response.ts';
import { type AnalyticsHandler, type AnalyticsRoute, analyticsRoute } from './call.ts';
import { readProjection } from './projection.ts';
import type { Projection, Statement } from './responses.ts';
import { toStatement } from './statement.ts';
import { statementFormats } from './statement-formats.ts';

/** `GET /dashboard/api/analytics/{organization}/projection` */
const getProjection: AnalyticsHandler<Projection> = async ({ organization, query }, dependencies) => {
  readQueryParameters(query, []);
  return jsonResponse(await readProjection(dependencies, organization.id));
};

const formatNames = ['csv', 'focus'] as const;

/** `GET /dashboard/api/analytics/{organization}/statements/{month}` */
const getStatement: AnalyticsHandler<Statement> = async (
  { organization, query, parameters },
  dependencies,
) => {
  const { reports, directory, now } = dependencies;
  const format = readFormat(readQueryParameters(query, ['format']).format);
  const month = parseMonth(parameters.month ?? '', now());
  const costs = await readMonthCosts(reports, organization.id, month);
  const keyIds = new Set(costs.lines.map(({ apiKeyId }) => apiKeyId));
  const apiKeys = await directory.findApiKeys(organization.id, [...keyIds]);
  const statement = toStatement({ organization, month, costs, apiKeys });
  if (format === null) return requireSmall(jsonResponse(statement));
  const { filePrefix, write } = statementFormats[format];
  return requireSmall({
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${filePrefix}-${statement.month}.csv"`,
    },
    body: write(statement),
  });
};

function readFormat(text: string | undefined): (typeof formatNames)[number] | null {
  if (text === undefined) return null;
  const format = formatNames.find((name) => name === text);
  if (format !== undefined) return format;
  throw invalidRequestError('format', `format must be one of ${formatNames.join(', ')}: omit it for JSON`);
}

/** In the JSON that the function returns, the body is a string. */
function requireSmall<Body>(response: DashboardResponse<Body>): DashboardResponse<Body> {
  if (Buffer.byteLength(JSON.stringify(response.body)) > maxResponseBytes) {
    throw invalidRequestError('month', `The response would exceed 6 MB: ${statementRemedy}`);
  }
  return response;
}

export const billingRoutes: readonly AnalyticsRoute[] = [
  analyticsRoute('/projection', getProjection),
  analyticsRoute('/statements/{month}', getStatement),
];

const monthPattern = /^(19[7-9]\d|[2-9]\d{3})-(0[1-9]|1[0-2])$/;

/** A UTC month, such as `2026-11`. Throws a `GatewayError` (400) for one that has not begun. */
function parseMonth(text: string, now: Date): TimeWindow {
  if (!monthPattern.test(text)) {
    throw invalidRequestError('month', 'month must be a month since 1970, such as 2026-11');
  }
  const startMs = parsePeriodText(text);
  if (startMs > now.getTime()) {
    throw invalidRequestError('month', `month must not be in the future: ${text} has not begun in UTC`);
  }
  return { startMs, endMs: endOfPeriod('month', startMs) };
}
