/**
 * A fake Messages API that rejects the requests the real API rejects.
 * https://platform.claude.com/docs/en/api/messages/create
 */
import { startUpstream, type Upstream } from '../upstream.ts';
import type { RecordedRequest, Respond } from '../upstream-responses.ts';
import { type MessagesBehaviour, messagesError, respondToMessages } from './messages-endpoint.ts';
import type { Threads } from './threads.ts';

export function startAnthropicUpstream(
  behaviour: MessagesBehaviour = {},
): Promise<Upstream<MessagesBehaviour>> {
  const threads: Threads = new Map();
  return startUpstream(
    { path: '/v1', respond: (request, current) => respond(request, current, threads) },
    behaviour,
  );
}

function respond(request: RecordedRequest, behaviour: MessagesBehaviour, threads: Threads): Respond {
  const api = { models: /^claude-/, requestIdHeaders: ['request-id'], threads };
  const { method, url, headers } = request;
  if (method !== 'POST' || url.replace(/\?beta=true$/, '') !== '/v1/messages')
    return messagesError(request, api, [404, 'not_found_error', 'Not found']);
  const { 'x-api-key': apiKey } = headers;
  if (apiKey === undefined || apiKey !== (behaviour.expectedApiKey ?? apiKey)) {
    const problem = apiKey === undefined ? 'x-api-key header is required' : 'invalid x-api-key';
    return messagesError(request, api, [401, 'authentication_error', problem]);
  }
  return respondToMessages(request, behaviour, api);
}
