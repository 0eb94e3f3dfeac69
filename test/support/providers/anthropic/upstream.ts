/**
 * A fake Messages API that rejects the requests the real API rejects.
 * https://platform.claude.com/docs/en/api/messages/create
 */
import { startUpstream, type Upstream } from '../upstream.ts';
import type { RecordedRequest, Respond } from '../upstream-responses.ts';
import { errorResponse, type MessagesBehaviour, respondToMessages } from './messages-endpoint.ts';

export function startAnthropicUpstream(
  behaviour: MessagesBehaviour = {},
): Promise<Upstream<MessagesBehaviour>> {
  return startUpstream({ path: '/v1', respond }, behaviour);
}

function respond(request: RecordedRequest, behaviour: MessagesBehaviour): Respond {
  const { method, url, headers, requestId } = request;
  if (method !== 'POST' || url.replace(/\?beta=true$/, '') !== '/v1/messages')
    return errorResponse(requestId, 404, 'not_found_error', 'Not found');
  const { 'x-api-key': apiKey } = headers;
  if (apiKey === undefined)
    return errorResponse(requestId, 401, 'authentication_error', 'x-api-key header is required');
  if (apiKey !== (behaviour.expectedApiKey ?? apiKey))
    return errorResponse(requestId, 401, 'authentication_error', 'invalid x-api-key');
  return respondToMessages(request, behaviour, /^claude-/);
}
