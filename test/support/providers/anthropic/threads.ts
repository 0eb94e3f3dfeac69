/**
 * Conversations that the fake keeps between requests, which send only new messages. Anthropic's SDK uses them for tools, and
 * continues without them where they are refused. https://platform.claude.com/docs/en/api/beta/messages/create
 */
import type { MessagesRequest } from './request-schema.ts';
import type { Block } from './scripted-turns.ts';

/** By the id of the latest message. */
export type Threads = Map<string, MessagesRequest>;

/** Returns the request with the messages of its thread; null if there is no such thread. */
export function wholeConversation(request: MessagesRequest, threads: Threads): MessagesRequest | null {
  if (request.thread?.type !== 'continue') return request;
  const earlier = threads.get(request.thread.previous_message_id);
  if (earlier === undefined) return null;
  return { ...earlier, ...request, messages: [...earlier.messages, ...request.messages] };
}

export function withReply(request: MessagesRequest, reply: readonly Block[]): MessagesRequest {
  return { ...request, messages: [...request.messages, { role: 'assistant', content: [...reply] }] };
}
