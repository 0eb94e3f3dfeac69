/**
 * Leaves out the thinking of a provider without the Messages API, when a conversation goes on at one with it, which would
 * refuse signatures that it has not made.
 */
import { isExactJsonObject, parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { type NativeRequest, parseNativeRequest } from '../providers/native/request.ts';
import { serialize } from '../providers/serialize.ts';
import { applyEdits } from '../request-body.ts';
import { messagesNames } from './request/names.ts';
import { isSignedByOther } from './signatures.ts';

interface StrippedRequest {
  request: NativeRequest;
  /** The caller's names of what was left out. */
  ignored: string[];
}

/** Keeps every other byte of the request, apart from white space in its messages. */
export function withoutForeignThinking(request: NativeRequest): StrippedRequest {
  let isChanged = false;
  const edits = request.members
    .filter(({ key }) => key === 'messages')
    .map(({ start, end }) => {
      const messages = parseExactJson(request.text.slice(start, end));
      const kept = Array.isArray(messages) ? messages.flatMap(withoutThinking) : messages;
      const text = serialize(kept);
      isChanged ||= text !== serialize(messages);
      return { start, end, text };
    });
  if (!isChanged) return { request, ignored: [] };
  return {
    request: parseNativeRequest(applyEdits(request.text, edits)),
    ignored: [messagesNames.reasoning],
  };
}

/** A message of which nothing remains is left out: the API refuses empty content, and joins the messages around it. */
function withoutThinking(message: unknown): unknown[] {
  if (!isExactJsonObject(message) || !Array.isArray(message.content)) return [message];
  const content = message.content.filter(
    (block: unknown) => !isExactJsonObject(block) || !isSignedByOther(block as JsonObject, null),
  );
  if (content.length === message.content.length) return [message];
  return content.length === 0 ? [] : [{ ...message, content }];
}
