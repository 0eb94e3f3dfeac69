/**
 * Leaves out the thinking of a provider without the Messages API, when a conversation goes on at one with it, which would
 * refuse signatures that it has not made.
 */
import { isExactJsonObject, parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import { type NativeRequest, parseNativeRequest } from '../providers/native/request.ts';
import { serialize } from '../providers/serialize.ts';
import { applyEdits } from '../request-body.ts';
import { messagesNames } from './request/names.ts';
import { isSignedByOther } from './signatures.ts';

/** Keeps every other byte of the request, apart from white space in its messages. */
export function withoutForeignThinking(request: NativeRequest): NativeRequest {
  const { text, members } = request;
  const edits = members
    .filter(({ key }) => key === 'messages')
    .flatMap(({ start, end }) => {
      const messages = parseExactJson(text.slice(start, end));
      if (!Array.isArray(messages)) return [];
      const kept = messages.flatMap(withoutThinking);
      const isUnchanged = kept.length === messages.length && kept.every((each, at) => each === messages[at]);
      return isUnchanged ? [] : [{ start, end, text: serialize(kept) }];
    });
  if (edits.length === 0) return request;
  return { ...parseNativeRequest(applyEdits(text, edits)), ignored: [messagesNames.reasoning] };
}

/** A message of which nothing remains is left out: the API refuses empty content, and joins the messages around it. */
function withoutThinking(message: unknown): unknown[] {
  if (!isExactJsonObject(message) || !Array.isArray(message.content)) return [message];
  const content = message.content.filter(
    (block: unknown) => !isExactJsonObject(block) || !isSignedByOther(block, null),
  );
  if (content.length === message.content.length) return [message];
  return content.length === 0 ? [] : [{ ...message, content }];
}
