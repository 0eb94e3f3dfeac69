/** The filters of requests, by the names of the API's parameters. */

import { isOperation } from '#dashboard/components/request/operation.ts';
import { isOutcome } from '#dashboard/components/request/outcome.ts';
import { type FigureName, figureTitles, isFigureName } from './figures.ts';

/** In the order of menus and chips. */
export const filterNames = [
  'model',
  'provider',
  'operation',
  'api_key_id',
  'prompt_id',
  'session_id',
  'user_id',
  'route',
  'outcome',
  'status',
  'error_code',
  'finish_reason',
  'service_tier',
  'response_id',
  'provider_request_id',
] as const;

export type FilterName = (typeof filterNames)[number];

export type FilterValues = { [Name in FilterName]?: string };

interface FilterField {
  title: string;
  /** Shown in an empty text field; choices have none. */
  placeholder?: string;
  hint?: string;
}

export const filterFields: Record<FilterName, FilterField> = {
  model: {
    title: 'Model',
    placeholder: 'gpt-4o-mini',
    hint: 'The name in the request, with or without its provider.',
  },
  provider: { title: 'Provider' },
  operation: { title: 'Operation' },
  api_key_id: { title: 'Key' },
  prompt_id: { title: 'Prompt', placeholder: 'summarize-ticket', hint: 'From the header gateway-prompt-id.' },
  session_id: { title: 'Session', placeholder: 'session-4821', hint: 'From the header gateway-session-id.' },
  user_id: { title: 'User', placeholder: 'user-17', hint: 'From the header gateway-user-id.' },
  route: { title: 'Route', placeholder: 'support', hint: 'The name after route/ in the requested model.' },
  outcome: { title: 'Outcome' },
  status: { title: 'Status', placeholder: '429', hint: 'The HTTP status of the gateway’s response.' },
  error_code: { title: 'Error code', placeholder: 'rate_limit_exceeded' },
  finish_reason: { title: 'Finish reason', placeholder: 'length', hint: 'As the provider names it.' },
  service_tier: { title: 'Service tier', placeholder: 'priority', hint: 'As the provider names it.' },
  response_id: {
    title: 'Response ID',
    placeholder: 'chatcmpl-…',
    hint: 'The id in the response, such as chatcmpl-…, resp_… or msg_….',
  },
  provider_request_id: {
    title: 'Provider’s request ID',
    placeholder: 'req_…',
    hint: 'From the headers of the provider’s response.',
  },
};

/** A filter by a value, or the bounds of a figure. */
export type ConditionName = FilterName | FigureName;

export function conditionTitle(name: ConditionName): string {
  return isFigureName(name) ? figureTitles[name] : filterFields[name].title;
}

export function isFilterValue(name: FilterName, value: string): boolean {
  if (name === 'outcome') return isOutcome(value);
  if (name === 'operation') return isOperation(value);
  if (name === 'status') return isStatus(value);
  return value !== '';
}

export function isStatus(text: string): boolean {
  return /^[1-5]\d\d$/.test(text);
}
