/**
 * The code under which the error of a log entry is counted.
 *
 * Providers invent codes, so that counting all of them would create rollup rows without limit. Codes of the gateway and
 * of OpenAI's API are counted under their names, all others under the status of the response.
 */
import { type ErrorCode, errorCodes } from '#lambdas/platform/errors.ts';
import type { LogEntry } from './entry.ts';

/**
 * The codes that OpenAI and Azure return for chat completions, without those that are also the gateway's.
 *
 * Sources:
 * - limits and overload: https://developers.openai.com/api/docs/guides/error-codes and, for `resource_unavailable`,
 *   https://developers.openai.com/api/docs/guides/flex-processing
 * - policies and images: `ResponseErrorCode` in https://github.com/openai/openai-openapi, without
 *   `vector_store_timeout` and `image_file_not_found`, since chat completions take neither vector stores nor the IDs of
 *   image files
 * - `content_filter`: Azure, https://go.microsoft.com/fwlink/?linkid=2198766
 * - the others, which are not documented: responses quoted by users, such as
 *   https://github.com/vishalmysore/Tools4AI/issues/16 (`array_above_max_length`),
 *   https://github.com/BerriAI/litellm/issues/8209 (`object_above_max_properties`),
 *   https://github.com/BerriAI/litellm/issues/2743 (`billing_not_active`) and
 *   https://github.com/AIDotNet/OpenDeepWiki/issues/5 (`mismatched_organization`)
 */
const openAiErrorCodes = [
  // Parameters
  'array_above_max_length',
  'decimal_above_max_value',
  'decimal_below_min_value',
  'empty_array',
  'integer_above_max_value',
  'integer_below_min_value',
  'invalid_function_parameters',
  'invalid_type',
  'invalid_value',
  'missing_required_parameter',
  'object_above_max_properties',
  'property_name_above_max_length',
  'string_above_max_length',
  'unknown_parameter',
  'unsupported_value',
  // Content
  'bio_policy',
  'content_filter',
  'content_policy_violation',
  'context_length_exceeded',
  'cyber_policy',
  'data_residency_mismatch',
  'invalid_prompt',
  // Images
  'empty_image_file',
  'failed_to_download_image',
  'image_content_policy_violation',
  'image_file_too_large',
  'image_parse_error',
  'image_too_large',
  'image_too_small',
  'invalid_base64_image',
  'invalid_image',
  'invalid_image_format',
  'invalid_image_mode',
  'invalid_image_url',
  'unsupported_image_media_type',
  // Limits
  'billing_hard_limit_reached',
  'billing_not_active',
  'credit_balance_exhausted',
  'organization_spend_limit_exceeded',
  'organization_usage_limit_exceeded',
  'project_spend_limit_exceeded',
  'resource_unavailable',
  'slow_down',
  // Access
  'account_deactivated',
  'ip_not_authorized',
  'mismatched_organization',
  'unsupported_country_region_territory',
  // Overload and failures
  'server_error',
  'server_is_overloaded',
] as const;

/** Codes of requests that never have a log entry: those of the dashboard's interface, of API Gateway itself, of handshakes. */
const codesWithoutEntries: readonly ErrorCode[] = [
  'forbidden',
  'invalid_session',
  'timeout',
  'websocket_not_supported',
];

/**
 * The codes that are counted under their names, each once. They fit into one DynamoDB `IN`, which takes up to 100
 * operands. `interrupted` is the code of a request whose function was killed.
 */
export const namedErrorCodes: readonly string[] = [
  ...errorCodes.filter((code) => !codesWithoutEntries.includes(code)),
  'interrupted',
  ...openAiErrorCodes,
];

const named: ReadonlySet<string> = new Set(namedErrorCodes);

type ErrorFields = Pick<LogEntry, 'error_code' | 'status'>;

/**
 * Returns the entry's own code if it is one of `namedErrorCodes`, otherwise `provider:<status>`, and `null` without an
 * error. The status is that of the gateway's response to the caller, not the provider's: a stream that failed after its
 * start has status 200 and is counted under `provider:200`.
 */
export function countedErrorCode({ error_code, status }: ErrorFields): string | null {
  return error_code === null || named.has(error_code) ? error_code : `provider:${status}`;
}

/** Whether errors can be counted under this text: one of `namedErrorCodes`, or `provider:` and three digits. */
export function isCountedErrorCode(text: string): boolean {
  return named.has(text) || statusInErrorCode(text) !== null;
}

/** Returns the status in `provider:<status>`, the code of errors that are not counted by name; `null` for other text. */
export function statusInErrorCode(text: string): number | null {
  const [, status = null] = /^provider:(\d{3})$/.exec(text) ?? [];
  return status === null ? null : Number(status);
}

/** Compares `code` with the counted code if errors can be counted under it, otherwise with the entry's own code. */
export function matchesErrorCode(entry: ErrorFields, code: string): boolean {
  return code === (isCountedErrorCode(code) ? countedErrorCode(entry) : entry.error_code);
}
