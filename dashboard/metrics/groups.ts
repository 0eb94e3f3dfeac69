/** How groups of requests are called. */
import { isOperation, operationTitles } from '#dashboard/components/request/operation.ts';
import type { GroupBy } from '#lambdas/accounts/analytics/responses.ts';

export const groupTitles: Record<GroupBy, { one: string; many: string }> = {
  model: { one: 'model', many: 'models' },
  provider: { one: 'provider', many: 'providers' },
  operation: { one: 'operation', many: 'operations' },
  api_key: { one: 'key', many: 'keys' },
  prompt_id: { one: 'prompt', many: 'prompts' },
  session_id: { one: 'session', many: 'sessions' },
  user_id: { one: 'user', many: 'users' },
  route: { one: 'route', many: 'routes' },
  error_code: { one: 'error code', many: 'error codes' },
};

/** The requests without a value. */
function noValueName(group: GroupBy): string {
  return `No ${groupTitles[group].one}`;
}

/** @param keyNames by id; keys without a name are shown by their id */
export function groupName(
  group: GroupBy,
  value: string | null,
  keyNames: ReadonlyMap<string, string>,
): string {
  if (value === null) return noValueName(group);
  if (group === 'operation' && isOperation(value)) return operationTitles[value];
  return group === 'api_key' ? (keyNames.get(value) ?? value) : value;
}

/** Whether the groups combine with every filter and have sums by minute. */
export function isRowGroup(group: GroupBy): boolean {
  return group === 'model' || group === 'provider' || group === 'operation';
}

export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
