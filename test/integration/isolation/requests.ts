/** Entries and requests of two organizations: the same ids, models and values, but different costs. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import type { Caller } from '#test/support/reports/fixture.ts';
import { byTestForm } from '#test/support/test-form.ts';

const startMs = Date.UTC(2026, 0, 31, 9, 30);
export const nowMs = startMs + 86_400_000;

/** Only the second organization has this entry. */
export const uniqueEntryId = createLogId(startMs, 0);

/** Values with which a caller may imitate another organization, or the separators within a table key. */
export function sharedValues(callers: readonly Caller[]): string[] {
  const separators = [
    '#',
    '##',
    '0',
    '#0',
    '1:x#',
    '3:x#y',
    'x#y',
    '0#user',
    '/',
    'openai/gpt-4o',
    'state',
    '%23',
    '~',
  ];
  const organizations = callers.flatMap(({ organizationId: id }) => [
    id,
    `${id}#0`,
    `${id}#0#ada`,
    `#${id}`,
    `0#${id}`,
  ]);
  return ['ada', ...separators, ...organizations];
}

/** Each value is in several fields of one entry. Both organizations have the same entry ids. */
export function createDuplicateEntries(callers: readonly Caller[]): LogEntry[][] {
  const values = sharedValues(callers);
  const ids = values.map((_, position) => createLogId(startMs + position * 60_000, position % 2));
  return callers.map(({ organizationId }, index) =>
    values.map((value, position) =>
      logEntry({
        id: ids[position],
        organization_id: organizationId,
        model: position % 3 === 0 ? value : 'gpt-4o',
        prompt_id: value,
        session_id: value,
        user_id: value,
        route: value,
        status: position % 5 === 0 ? 429 : 200,
        // These fields differ. None of their values may be in a response to the other organization.
        api_key_id: markerOf(index),
        provider_request_id: markerOf(index),
        response_model: markerOf(index),
        cost_usd: index === 0 ? '0.001' : '1000.5',
        input_tokens: index === 0 ? 10 : 7_000_000,
        output_tokens: index === 0 ? 20 : 9_000_000,
      }),
    ),
  );
}

export function markerOf(index: number): string {
  return `marker-of-organization-${index}`;
}

export interface IsolationRequest {
  endpoint: 'logs' | 'log' | 'costs';
  query?: string;
  id?: string;
  headers?: Record<string, string>;
}

/** In the short form, every fifth value is in a request; every value is in an entry. */
const valueStep = byTestForm({ short: 5, long: 1 });

export function createRequests(callers: readonly Caller[], ids: readonly string[]): IsolationRequest[] {
  const values = sharedValues(callers)
    .filter((_, index) => index % valueStep === 0)
    .map(encodeURIComponent);
  const window = 'start=2026-01-31T09:33:00.500Z&end=2026-01-31T09:44:30Z';
  const logs = [
    '',
    'limit=3',
    'limit=3&offset=4',
    'offset=10000',
    'status=429',
    'status=200',
    window,
    'provider=openai&model=gpt-4o',
    'operation=chat.completions',
    ...['model', 'prompt_id', 'session_id', 'user_id', 'route'].flatMap((name) =>
      values.map((value) => `${name}=${value}`),
    ),
    ...values.map((value) => `provider=${value}`),
    ...values.map((value) => `user_id=${value}&session_id=${value}&status=429&${window}`),
  ];
  const groups = [
    'model',
    'provider',
    'operation',
    'prompt_id',
    'session_id',
    'user_id',
    'route',
    'api_key',
    'error_code',
  ];
  const costs = [
    '',
    window,
    'model=gpt-4o',
    'provider=openai',
    'operation=chat.completions',
    ...groups.flatMap((group) => [`group_by=${group}`, `group_by=${group}&limit=2&${window}`]),
    ...groups.map(
      (group) => `group_by=${group}&interval=hour&start=2026-01-31T00:00:00Z&end=2026-02-01T00:00:00Z`,
    ),
    ...values.flatMap((value) => [`model=${value}`, `provider=${value}&group_by=user_id`]),
    ...['api_key_id', 'prompt_id', 'session_id', 'user_id', 'route', 'error_code'].flatMap((name) =>
      values.flatMap((value) => [`${name}=${value}`, `${name}=${value}&compare=previous&${window}`]),
    ),
  ];
  return [
    ...logs.map((query): IsolationRequest => ({ endpoint: 'logs', query })),
    ...costs.map((query): IsolationRequest => ({ endpoint: 'costs', query })),
    ...[...ids, ...callers.map(({ organizationId }) => organizationId), ...values].map(
      (id): IsolationRequest => ({ endpoint: 'log', id }),
    ),
  ];
}
