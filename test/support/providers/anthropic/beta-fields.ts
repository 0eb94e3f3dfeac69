/**
 * Fields that the Messages API accepts only together with their beta header.
 * https://platform.claude.com/docs/en/api/beta-headers
 */
import type { MessagesRequest } from './request-schema.ts';

const toolSearchBetas = ['advanced-tool-use-2025-11-20', 'tool-search-tool-2025-10-19'];

/** `betas` is the value of the header `anthropic-beta`, empty without it. Returns null when each field has its header. */
export function findFieldWithoutBeta(
  { context_management, tools = [] }: MessagesRequest,
  betas: string,
): string | null {
  const names = betas.split(',').map((name) => name.trim());
  const deferred = tools.findIndex((tool) => 'defer_loading' in tool);
  const isMissing = (fields: boolean, headers: readonly string[]) =>
    fields && !headers.some((header) => names.includes(header));
  if (isMissing(context_management !== undefined, ['context-management-2025-06-27']))
    return 'context_management: Extra inputs are not permitted';
  if (isMissing(deferred >= 0, toolSearchBetas))
    return `tools.${deferred}.custom.defer_loading: Extra inputs are not permitted`;
  return null;
}
