/** A log entry as a DynamoDB item: its fields, the keys of the indexes and the expiry. */
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { LogEntry } from '../domain/log-entry.ts';
import { isUuid } from '../domain/log-id.ts';
import { readNumber } from './document-client.ts';

export const modelIndex = { name: 'by-model', key: 'organization_model' } as const;
export const providerIndex = { name: 'by-provider', key: 'organization_provider' } as const;

export type Item = Record<string, unknown>;

/** Fields that are `null` are left out: an attribute that is not there costs nothing, in an index neither. */
export function toItem(entry: LogEntry, expiresAtSeconds: number): Item {
  const fields = Object.entries(entry).filter(([, value]) => value !== null);
  return {
    ...Object.fromEntries(fields),
    cost_usd: NumberValue.from(entry.cost_usd),
    expires_at: expiresAtSeconds,
    ...(entry.model !== null && { [modelIndex.key]: indexKey(entry.organization_id, entry.model) }),
    ...(entry.provider !== null && { [providerIndex.key]: indexKey(entry.organization_id, entry.provider) }),
  };
}

export function indexKey(organizationId: string, value: string): string {
  return `${organizationId}#${value}`;
}

/** Every field, in the order in which the API shows them. */
const noValues: Record<keyof LogEntry, null> = {
  id: null,
  organization_id: null,
  created_at: null,
  model: null,
  response_model: null,
  provider: null,
  status: null,
  outcome: null,
  stream: null,
  input_tokens: null,
  output_tokens: null,
  total_tokens: null,
  cached_input_tokens: null,
  cache_write_input_tokens: null,
  cache_write_1h_input_tokens: null,
  reasoning_tokens: null,
  audio_input_tokens: null,
  cached_audio_input_tokens: null,
  audio_output_tokens: null,
  cost_usd: null,
  pricing: null,
  pricing_version: null,
  usage_source: null,
  finish_reason: null,
  latency_ms: null,
  time_to_first_token_ms: null,
  prompt_id: null,
  session_id: null,
  user_id: null,
  api_key_id: null,
  provider_request_id: null,
  error_code: null,
};

/** The entry that `toItem` wrote. Throws when the item lacks what every entry has. */
export function fromItem(item: Item): LogEntry {
  const { expires_at, [modelIndex.key]: byModel, [providerIndex.key]: byProvider, ...fields } = item;
  const { id, organization_id, created_at, outcome, cost_usd } = fields;
  const isEntry =
    [id, organization_id, created_at, outcome].every((value) => typeof value === 'string') &&
    isUuid(String(id));
  if (!isEntry || cost_usd === undefined) throw new Error('The item is not a log entry');
  return { ...noValues, ...(fields as Partial<LogEntry>), cost_usd: String(cost_usd) } as LogEntry;
}

/** The entry in a stream record's new image. Throws when there is none. */
export function entryFromStreamImage(image: object | undefined): LogEntry {
  if (image === undefined) throw new Error('The record has no new image');
  return fromItem(unmarshall({ ...image }, { wrapNumbers: readNumber }));
}
