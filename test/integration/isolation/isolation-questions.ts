/** What two organizations that look the same from outside have and ask: the same ids, models and values, other costs. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import type { Caller } from '#test/support/report-harness.ts';

const beginMs = Date.UTC(2026, 0, 31, 9, 30);
export const nowMs = beginMs + 86_400_000;

/** An entry that the second organization alone has. */
export const onlyId = createLogId(beginMs, 0);

/** What a caller may send to look like another organization, or like the separators that are between the parts of a key. */
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

/** Of each value one entry in each role that a value can have. The ids are drawn once: both organizations have the same. */
export function twinEntries(callers: readonly Caller[]): LogEntry[][] {
  const values = sharedValues(callers);
  const ids = values.map((_, index) => createLogId(beginMs + index * 60_000, index % 2));
  return callers.map(({ organizationId }, which) =>
    values.map((value, index) =>
      logEntry({
        id: ids[index],
        organization_id: organizationId,
        model: index % 3 === 0 ? value : 'gpt-4o',
        prompt_id: value,
        session_id: value,
        user_id: value,
        status: index % 5 === 0 ? 429 : 200,
        // What tells them apart: nothing of this may ever be in an answer to the other one.
        api_key_id: markOf(which),
        provider_request_id: markOf(which),
        response_model: markOf(which),
        cost_usd: which === 0 ? '0.001' : '1000.5',
        input_tokens: which === 0 ? 10 : 7_000_000,
        output_tokens: which === 0 ? 20 : 9_000_000,
      }),
    ),
  );
}

export function markOf(which: number): string {
  return `mark-of-organization-${which}`;
}

export interface Question {
  endpoint: 'logs' | 'log' | 'costs';
  query?: string;
  id?: string;
  headers?: Record<string, string>;
}

/** Everything that can be asked, with each of the values in each of the parameters. */
export function questionsAbout(callers: readonly Caller[], ids: readonly string[]): Question[] {
  const values = sharedValues(callers).map(encodeURIComponent);
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
    ...['model', 'prompt_id', 'session_id', 'user_id'].flatMap((name) =>
      values.map((value) => `${name}=${value}`),
    ),
    ...values.map((value) => `provider=${value}`),
    ...values.map((value) => `user_id=${value}&session_id=${value}&status=429&${window}`),
  ];
  const groups = ['model', 'provider', 'prompt_id', 'session_id', 'user_id', 'api_key'];
  const costs = [
    '',
    window,
    'model=gpt-4o',
    'provider=openai',
    ...groups.flatMap((group) => [`group_by=${group}`, `group_by=${group}&limit=2&${window}`]),
    ...groups.map(
      (group) => `group_by=${group}&interval=hour&start=2026-01-31T00:00:00Z&end=2026-02-01T00:00:00Z`,
    ),
    ...values.flatMap((value) => [`model=${value}`, `provider=${value}&group_by=user_id`]),
  ];
  return [
    ...logs.map((query): Question => ({ endpoint: 'logs', query })),
    ...costs.map((query): Question => ({ endpoint: 'costs', query })),
    ...[...ids, ...callers.map(({ organizationId }) => organizationId), ...values].map(
      (id): Question => ({ endpoint: 'log', id }),
    ),
  ];
}
