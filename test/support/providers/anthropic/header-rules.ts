/** Rules of the Messages API that depend on headers. */
import type { IncomingHttpHeaders } from 'node:http';
import { toTurns } from './request-rules.ts';
import type { MessagesRequest } from './request-schema.ts';

const toolSearchBetas = ['advanced-tool-use-2025-11-20', 'tool-search-tool-2025-10-19'];

/** Returns null when the version is known, has the fields, and each field in beta has its header. */
export function findHeaderViolation(request: MessagesRequest, headers: IncomingHttpHeaders): string | null {
  const version = headers['anthropic-version'];
  if (version === undefined) return 'anthropic-version: header is required';
  if (version !== '2023-06-01' && version !== '2026-10-21')
    return `anthropic-version: "${version}" is not a valid version`;
  return (version === '2026-10-21' ? findRemoved(request) : null) ?? findFieldWithoutBeta(request, headers);
}

/** https://platform.claude.com/docs/en/api/migration-2026-10-21 */
function findRemoved(request: MessagesRequest): string | null {
  const sampling = (['temperature', 'top_p', 'top_k'] as const).find((name) => request[name] !== undefined);
  if (sampling !== undefined) return `${sampling}: Extra inputs are not permitted`;
  // On Bedrock, only Claude 4.7 and later have this version.
  if (/anthropic\.claude-(3|[a-z]+-4-[156]\b)/.test(request.model))
    return 'anthropic-version: "2026-10-21" is not supported for this model';
  const at = toTurns(request).findIndex(
    ({ role, blocks }) => role === 'assistant' && blocks.some(({ type }) => type === 'document'),
  );
  return at < 0
    ? null
    : `messages.${at}.content: \`document\` blocks are not permitted in assistant messages`;
}

/** https://platform.claude.com/docs/en/api/beta-headers */
function findFieldWithoutBeta(
  { context_management, thread, tools = [] }: MessagesRequest,
  { 'anthropic-beta': betas = '' }: IncomingHttpHeaders,
): string | null {
  const names = String(betas)
    .split(',')
    .map((name) => name.trim());
  if (context_management !== undefined && !names.includes('context-management-2025-06-27'))
    return 'context_management: Extra inputs are not permitted';
  if (thread !== undefined && !names.includes('message-threads-2026-08-12'))
    return 'thread: Extra inputs are not permitted';
  const deferred = tools.findIndex((tool) => 'defer_loading' in tool);
  if (deferred >= 0 && !toolSearchBetas.some((beta) => names.includes(beta)))
    return `tools.${deferred}.custom.defer_loading: Extra inputs are not permitted`;
  return null;
}
